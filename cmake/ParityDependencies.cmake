# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Every library that the project uses is located here, once; ci/setup.sh installs the packages named in the messages.

# parity_find(<package> <target> <apt package> [find_package arguments...]); a macro, so that the targets
# are visible in the whole project.
macro(parity_find package target apt_package)
  find_package(${package} QUIET ${ARGN})
  if(NOT TARGET ${target})
    message(FATAL_ERROR "parity: ${package} is missing; install it: apt-get install ${apt_package} (or run ci/setup.sh)")
  endif()
  message(STATUS "parity: found ${package} ${${package}_VERSION}")
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
parity_find(Threads Threads::Threads g++)
parity_find(OpenMP OpenMP::OpenMP_CXX g++)
parity_find(HDF5 hdf5::hdf5 libhdf5-dev COMPONENTS C)
parity_find(Eigen3 Eigen3::Eigen libeigen3-dev 3.4 NO_MODULE)
parity_find(fmt fmt::fmt libfmt-dev 9)
parity_find(nlohmann_json nlohmann_json::nlohmann_json nlohmann-json3-dev 3.11)
parity_find(CLI11 CLI11::CLI11 libcli11-dev 2.1)
parity_find(OpenSSL OpenSSL::Crypto libssl-dev)  # SHA-256 of goldens
if(PARITY_TORCH AND NOT PARITY_SANITIZE)  # its libraries are not built for sanitizers
  find_package(LibTorch QUIET)
  if(TARGET parity::torch)
    message(STATUS "parity: found LibTorch ${LibTorch_VERSION}")
  elseif(PARITY_TORCH STREQUAL "AUTO")
    message(STATUS "parity: no LibTorch, its backend is left out; ci/setup.sh torch installs it")
  else()
    message(FATAL_ERROR "parity: LibTorch is missing; run ci/setup.sh torch, or set LibTorch_ROOT or LibTorch_PYTHON")
  endif()
endif()
if(PARITY_BUILD_BENCHES)
  find_package(benchmark QUIET)
  if(NOT TARGET benchmark::benchmark)
    message(STATUS "parity: no Google Benchmark, parity_bench is left out; apt-get install libbenchmark-dev (or run ci/setup.sh)")
  endif()
endif()
if(PARITY_BUILD_TESTS)
  parity_find(GTest GTest::gmock libgmock-dev)
  include(GoogleTest)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(NOT Python3_Interpreter_FOUND)
    message(STATUS "parity: no Python 3, the layering check is left out of the tests")
  endif()
endif()
