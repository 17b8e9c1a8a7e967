# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# LibTorch's CPU part, as the pip package carries it. find_package(Torch) is not used: it enables CUDA, changes its flags and
# architectures for the whole project, and links libtorch_cuda. The package is found without being imported: installed
# with --no-deps it cannot be. Hints: LibTorch_ROOT (its torch folder), LibTorch_PYTHON (an interpreter that has it),
# build/torch (made by `ci/setup.sh torch`), the python3 of PATH. Makes the target parity::torch.

set(LibTorch_ROOT "" CACHE PATH "Folder of LibTorch: the torch folder of a Python package, or an unpacked libtorch")
set(LibTorch_PYTHON "" CACHE FILEPATH "A Python interpreter whose torch package serves as LibTorch")

set(_hint ${LibTorch_ROOT} $ENV{LibTorch_ROOT})
foreach(_python IN ITEMS "${LibTorch_PYTHON}" "${PROJECT_SOURCE_DIR}/build/torch/bin/python" python3)
  if(NOT _hint AND _python)
    execute_process(
      COMMAND "${_python}" -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
      OUTPUT_VARIABLE _hint OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endforeach()

find_path(LibTorch_INCLUDE_DIR ATen/core/Tensor.h HINTS ${_hint} PATH_SUFFIXES include)
find_library(LibTorch_CPU_LIBRARY torch_cpu HINTS ${_hint} PATH_SUFFIXES lib)
find_library(LibTorch_C10_LIBRARY c10 HINTS ${_hint} PATH_SUFFIXES lib)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY)

if(LibTorch_INCLUDE_DIR)
  set(_version)
  foreach(_file IN ITEMS torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(NOT _version AND EXISTS "${LibTorch_INCLUDE_DIR}/${_file}")
      file(STRINGS "${LibTorch_INCLUDE_DIR}/${_file}" _lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
      string(REGEX MATCHALL "[0-9]+" _version "${_lines}")
    endif()
  endforeach()
  list(JOIN _version "." LibTorch_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION)

if(LibTorch_FOUND AND NOT TARGET parity::torch)
  foreach(_part IN ITEMS CPU C10)
    add_library(parity_libtorch_${_part} SHARED IMPORTED)
    set_target_properties(parity_libtorch_${_part} PROPERTIES IMPORTED_LOCATION "${LibTorch_${_part}_LIBRARY}")
  endforeach()
  add_library(parity::torch INTERFACE IMPORTED)
  target_include_directories(parity::torch SYSTEM INTERFACE
    "${LibTorch_INCLUDE_DIR}" "${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  target_link_libraries(parity::torch INTERFACE parity_libtorch_CPU parity_libtorch_C10)
  # libtorch_cpu needs libcudart and libcupti at run time: from the toolkit or the wheels beside it, by DT_RPATH, which
  # unlike RUNPATH also serves the dependencies of dependencies.
  target_link_options(parity::torch INTERFACE "LINKER:--allow-shlib-undefined" "LINKER:--disable-new-dtags")
  find_library(LibTorch_CUDART_LIBRARY NAMES libcudart.so.13 libcudart.so
    HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES lib lib64 targets/x86_64-linux/lib)
  mark_as_advanced(LibTorch_CUDART_LIBRARY)
  if(LibTorch_CUDART_LIBRARY)
    get_filename_component(_cudart "${LibTorch_CUDART_LIBRARY}" REALPATH)
    get_filename_component(_cudart "${_cudart}" DIRECTORY)
    target_link_options(parity::torch INTERFACE "LINKER:-rpath,${_cudart}")
  endif()
endif()
