# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# `cmake --install`, and packages by CPack. The program finds what comes with it relative to itself (core/shipped.hpp), so
# that folders below the prefix are fixed and an installed tree can be moved.

# Completion and manual page are what the built program says of itself.
set(_pages "${CMAKE_BINARY_DIR}/pages")
set(_page_files "")
foreach(_page IN ITEMS parity.1:man parity.bash:completion:bash _parity:completion:zsh parity.fish:completion:fish)
  string(REPLACE ":" ";" _words "${_page}")
  list(POP_FRONT _words _name)
  add_custom_command(OUTPUT "${_pages}/${_name}"
    COMMAND parity_program_parity ${_words} > "${_pages}/${_name}"
    VERBATIM)
  list(APPEND _page_files "${_pages}/${_name}")
endforeach()
file(MAKE_DIRECTORY "${_pages}")
add_custom_target(parity_pages ALL DEPENDS ${_page_files})

install(TARGETS parity_program_parity RUNTIME DESTINATION bin COMPONENT program)
install(FILES "${_pages}/parity.1" DESTINATION share/man/man1 COMPONENT program)
install(FILES "${_pages}/parity.bash" DESTINATION share/bash-completion/completions RENAME parity COMPONENT program)
install(FILES "${_pages}/parity.fish" DESTINATION share/fish/vendor_completions.d COMPONENT program)
foreach(_functions IN ITEMS site-functions vendor-completions)  # of /usr/local, and of Debian's packages
  install(FILES "${_pages}/_parity" DESTINATION share/zsh/${_functions} COMPONENT program)
endforeach()

install(DIRECTORY golden/data golden/cut golden/processors golden/generation DESTINATION share/parity/golden
  COMPONENT program)
file(GLOB _manifests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/golden/manifest*.json")
install(FILES ${_manifests} DESTINATION share/parity/golden COMPONENT program)
install(DIRECTORY faults/catalogue DESTINATION share/parity/faults COMPONENT program FILES_MATCHING PATTERN "*.json")
install(DIRECTORY reports/schema DESTINATION share/parity/reports COMPONENT program FILES_MATCHING PATTERN "*.json")
install(FILES cases/tiles.json DESTINATION share/parity/cases COMPONENT program)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION share/doc/parity COMPONENT program)
install(FILES LICENSE DESTINATION share/doc/parity RENAME copyright COMPONENT program)
install(DIRECTORY docs examples DESTINATION share/doc/parity COMPONENT program)

# Not in packages: LibTorch is in none that they could depend on. It is found where it was found for the build.
if(TARGET parity_torch_module)
  set_target_properties(parity_torch_module PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS parity_torch_module LIBRARY DESTINATION lib/parity COMPONENT torch)
endif()

# Nor is this one: it needs the MPI of the machine.
if(TARGET parity_mpi_module)
  install(TARGETS parity_mpi_module LIBRARY DESTINATION lib/parity COMPONENT mpi)
endif()

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME parity)
set(CPACK_PACKAGE_VENDOR "The parity authors")
set(CPACK_PACKAGE_CONTACT "The parity authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};parity;program;/")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # needs dpkg-dev
include(CPack)
