# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# nvcc as a compiler of PTX. CMake's CUDA language is not enabled: nothing here links the CUDA runtime, and a build without
# nvcc is the same one with fewer kernels. Hints: PARITY_NVCC, build/cuda (made by `ci/setup.sh cuda`), PATH, /usr/local/cuda.

set(PARITY_NVCC_VERSION "")
if(PARITY_CUDA)
  find_program(PARITY_NVCC nvcc
    HINTS "${PROJECT_SOURCE_DIR}/build/cuda/bin" ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(PARITY_NVCC)
    execute_process(COMMAND "${PARITY_NVCC}" --version OUTPUT_VARIABLE _parity_nvcc_says ERROR_QUIET)
    if("${_parity_nvcc_says}" MATCHES "release [0-9.]+, V([0-9]+\\.[0-9]+\\.[0-9]+)")
      set(PARITY_NVCC_VERSION "${CMAKE_MATCH_1}")
    endif()
  endif()
  if(PARITY_NVCC_VERSION VERSION_GREATER_EQUAL 12.8)
    message(STATUS "parity: found nvcc ${PARITY_NVCC_VERSION}")
    get_filename_component(_parity_nvcc_folder "${PARITY_NVCC}" DIRECTORY)
    find_program(PARITY_PTXAS ptxas HINTS "${_parity_nvcc_folder}" NO_DEFAULT_PATH)
    mark_as_advanced(PARITY_NVCC PARITY_PTXAS)
  elseif(PARITY_CUDA STREQUAL "AUTO")
    message(STATUS "parity: no nvcc 12.8 or later (found: '${PARITY_NVCC_VERSION}'), CUDA kernels are left out; "
                   "ci/setup.sh cuda installs it")
    set(PARITY_NVCC_VERSION "")
  else()
    message(FATAL_ERROR "parity: nvcc 12.8 or later is missing (found: '${PARITY_NVCC_VERSION}'); run ci/setup.sh cuda, "
                        "or set PARITY_NVCC")
  endif()
endif()

# parity_compile_ptx(<sources variable> <PTX files variable>)
# Of cuda/<topic>/<name>.cu: the PTX, and the same file as C++, which starts what is in the PTX. <name>_sm90.cu is compiled
# for sm_90a, every other file for sm_80. Writes generated/optimized/cuda_modules.def; without nvcc it is empty.
function(parity_compile_ptx sources_variable ptx_variable)
  set(modules "")
  set(files "")
  set(sources "")
  if(PARITY_NVCC_VERSION)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/cuda/*/*.cu")
  endif()
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    set(architecture 80)
    if(name MATCHES "_sm90$")
      set(architecture 90a)
    endif()
    set(ptx "${CMAKE_CURRENT_BINARY_DIR}/cuda/${name}.${architecture}.ptx")
    add_custom_command(OUTPUT "${ptx}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_CURRENT_BINARY_DIR}/cuda"
      COMMAND "${CMAKE_COMMAND}" -E env "PARITY_NVCC=${PARITY_NVCC}" CCACHE_COMPILERTYPE=nvcc ${PARITY_CCACHE_LAUNCHER}
              "${PROJECT_SOURCE_DIR}/cmake/nvcc_ptx.sh" -c -DPARITY_NVCC_VERSION=${PARITY_NVCC_VERSION}
              -std=c++20 -arch=compute_${architecture} -O3 -lineinfo -Werror all-warnings
              "-ccbin=${CMAKE_CXX_COMPILER}" -allow-unsupported-compiler "-I${PROJECT_SOURCE_DIR}"
              -MD -MF "${ptx}.d" -MT "${ptx}" -o "${ptx}" "${source}"
      DEPENDS "${source}" "${PROJECT_SOURCE_DIR}/cmake/nvcc_ptx.sh" DEPFILE "${ptx}.d" VERBATIM
      COMMENT "Compiling ${name}.cu to PTX of compute_${architecture}")
    string(REPLACE "a" "" capability "${architecture}")
    string(APPEND modules "PARITY_MODULE(${name}, ${capability}, \"${ptx}\")\n")
    list(APPEND files "${ptx}")
  endforeach()
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/optimized/cuda_modules.def" CONTENT "${modules}" @ONLY)
  set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
  set_source_files_properties(cuda/modules.cpp PROPERTIES OBJECT_DEPENDS "${files}" SKIP_UNITY_BUILD_INCLUSION ON)
  set(${sources_variable} ${sources} PARENT_SCOPE)
  set(${ptx_variable} ${files} PARENT_SCOPE)
endfunction()
