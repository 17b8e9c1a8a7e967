// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The commands of the program. They write results to stdout and progress to stderr, and return the exit code. For any
// other outcome they throw Error, which cli/main.cpp turns into exit codes 2 to 70.
#pragma once

#include "cli/exit_codes.hpp"
#include "cli/goldens/recording_commands.hpp"
#include "cli/studies/study_commands.hpp"
