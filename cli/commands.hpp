// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The commands of the program. Results go to stdout, progress to stderr; the functions return the exit code and throw Error
// for everything else (cli/main.cpp turns those into codes 2..70).
#pragma once

#include "cli/exit_codes.hpp"
#include "cli/recording_commands.hpp"
#include "cli/study_commands.hpp"
