# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""One engine a file; registry.py finds those that declare ENGINE."""
