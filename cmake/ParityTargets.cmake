# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# How a folder becomes a target. Includes are written from the repository root: #include "core/tensor.hpp".

# core -> parity_core, parity::core; optimized/cpu -> parity_optimized_cpu, parity::optimized::cpu
function(parity_target_names folder target_variable alias_variable)
  string(REPLACE "/" "_" target "parity_${folder}")
  string(REPLACE "/" "::" alias "parity::${folder}")
  set(${target_variable} "${target}" PARENT_SCOPE)
  set(${alias_variable} "${alias}" PARENT_SCOPE)
endfunction()

# What a release optimises less. Compiling these folders and the tests is most of a first build, but a run spends its time
# in the folders that they call. -O1 takes 17 to 28 % less compile time than -O2, and -Og 20 to 27 % less than -O1; but
# -Og inlines so little that a loop over elements may take twice the time: only what prints, and tests.
set(PARITY_O1_FOLDERS benches cases compare faults golden replay)
set(PARITY_OG_FOLDERS cli reports)

function(parity_set_up target)
  target_link_libraries(${target} PRIVATE parity::options)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE folder)
  if(folder IN_LIST PARITY_OG_FOLDERS OR target MATCHES "_test$")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  elseif(folder IN_LIST PARITY_O1_FOLDERS)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
endfunction()

# Where one batch ends and the next begins follows from the names of the files: a new file changes its own batch, and the
# others keep their neighbours.
function(parity_batch target)
  if(PARITY_BATCH LESS_EQUAL 1)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  set(length ${PARITY_BATCH})
  foreach(source IN LISTS sources)
    string(MD5 hash "${source}")
    if(length GREATER_EQUAL PARITY_BATCH OR hash MATCHES "^0[0-7]")  # full, or every 32nd name
      string(MAKE_C_IDENTIFIER "${source}" batch)
      set(length 0)
    endif()
    math(EXPR length "${length} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# parity_sources(<variable> [TESTS] [ONLY regex...] [EXCEPT regex...])
# The .cpp files of this folder and those below it: without its tests and what only they need (*_test.cpp, testing/), or
# these alone. ONLY keeps those that match one of its patterns. A new file is found by the next build.
function(parity_sources variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TESTS" "" "ONLY;EXCEPT")
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  set(of_tests "(_test\\.cpp$|(^|/)testing/)")
  if(arg_TESTS)
    list(FILTER found INCLUDE REGEX "${of_tests}")
  else()
    list(FILTER found EXCLUDE REGEX "${of_tests}")
  endif()
  if(arg_ONLY)
    list(JOIN arg_ONLY "|" kept)
    list(FILTER found INCLUDE REGEX "${kept}")
  endif()
  foreach(pattern IN LISTS arg_EXCEPT)
    list(FILTER found EXCLUDE REGEX "${pattern}")
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# parity_list_stems(<file> <macro> stem...)
# Writes generated/<file> with a line `macro(stem)` for each: what a registry is filled from.
function(parity_list_stems file macro)
  set(lines "")
  foreach(stem IN LISTS ARGN)
    string(APPEND lines "${macro}(${stem})\n")
  endforeach()
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/${file}" CONTENT "${lines}" @ONLY)
endfunction()

# parity_embed(<header> <namespace> <name> pattern...)
# Writes generated/<header>: `constexpr std::array <name>` of pairs (path, text), one for each file of these patterns
# below the root of the repository, by path. Data becomes part of the program.
function(parity_embed header PARITY_EMBEDDED_NAMESPACE PARITY_EMBEDDED_NAME)
  set(files "")
  foreach(pattern IN LISTS ARGN)
    file(GLOB found CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/${pattern}")
    list(APPEND files ${found})
  endforeach()
  if(NOT files)
    message(FATAL_ERROR "parity_embed(${header}): no file matches ${ARGN}")
  endif()
  set(PARITY_EMBEDDED_FILES "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${file}")
    file(READ "${PROJECT_SOURCE_DIR}/${file}" text)
    string(APPEND PARITY_EMBEDDED_FILES "std::pair<std::string_view, std::string_view>{\"${file}\", R\"parity(${text})parity\"},\n")
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/embedded_files.hpp.in" "${CMAKE_BINARY_DIR}/generated/${header}" @ONLY)
endfunction()

# parity_add_library(<folder> [SOURCES file...] [PUBLIC_DEPS target...] [PRIVATE_DEPS target...])
# A static library parity_<folder> with the alias parity::<folder>; without sources a header-only one.
function(parity_add_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PUBLIC_DEPS;PRIVATE_DEPS")
  parity_reject_unknown("parity_add_library(${folder})" "${arg_UNPARSED_ARGUMENTS}")
  parity_target_names("${folder}" target alias)
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    parity_set_up(${target})
    parity_batch(${target})
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC_DEPS} ${arg_PRIVATE_DEPS})
  endif()
  add_library(${alias} ALIAS ${target})
endfunction()

# parity_add_program(<name> SOURCES file... [DEPS target...])
# An executable called <name>: cli/ makes build/<preset>/cli/parity with it.
function(parity_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  parity_reject_unknown("parity_add_program(${name})" "${arg_UNPARSED_ARGUMENTS}")
  add_executable(parity_program_${name} ${arg_SOURCES})
  set_target_properties(parity_program_${name} PROPERTIES OUTPUT_NAME ${name})
  parity_batch(parity_program_${name})
  parity_set_up(parity_program_${name})
  target_link_libraries(parity_program_${name} PRIVATE ${arg_DEPS})
endfunction()

# parity_add_test(<folder> SOURCES file... [DEPS target...] [LABEL label] [TIMEOUT seconds]
#                 [OWN_MAIN] [ONE_PROCESS])
# One executable parity_<folder>_test, linked with parity::<folder> if there is one, and with GoogleTest and GoogleMock.
# OWN_MAIN: the sources hold main(). ONE_PROCESS: CTest runs the executable once, not once for every case (for
# hundreds of small cases, or for cases registered at run time). LABEL: CTest's label instead of the folder's name,
# such as gpu. Tests run in the repository root; exit status 77 means skipped.
function(parity_add_test folder)
  if(NOT PARITY_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_MAIN;ONE_PROCESS" "TIMEOUT;LABEL" "SOURCES;DEPS")
  parity_reject_unknown("parity_add_test(${folder})" "${arg_UNPARSED_ARGUMENTS}")
  parity_target_names("${folder}" library alias)
  set(target ${library}_test)
  add_executable(${target} ${arg_SOURCES})
  parity_set_up(${target})
  parity_batch(${target})
  if(TARGET ${library})
    target_link_libraries(${target} PRIVATE ${alias})
  endif()
  target_link_libraries(${target} PRIVATE ${arg_DEPS} GTest::gtest GTest::gmock)
  if(NOT arg_OWN_MAIN)
    target_link_libraries(${target} PRIVATE GTest::gtest_main)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL "${folder}")
  endif()
  if(arg_ONE_PROCESS)
    add_test(NAME ${folder} COMMAND ${target} --gtest_brief=1 WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${folder} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
  else()
    gtest_discover_tests(${target}
      TEST_PREFIX "${folder}."
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      DISCOVERY_MODE PRE_TEST
      DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()

function(parity_reject_unknown call unparsed)
  if(unparsed)
    message(FATAL_ERROR "${call}: unknown arguments: ${unparsed}")
  endif()
endfunction()
