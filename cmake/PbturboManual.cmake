# The manual pages of section 3, made of the public headers' comments; and that
# of pbturbo-run.
if(PBTURBO_BUILD_SHIM)
    install(
        FILES docs/man/pbturbo-run.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        COMPONENT dropin)
endif()

find_program(PBTURBO_AWK NAMES awk DOC "Makes the manual pages of section 3")
mark_as_advanced(PBTURBO_AWK)
if(NOT PBTURBO_AWK)
    message(STATUS "no manual pages of section 3: there is no awk here")
    return()
endif()

set(manual_dir ${PROJECT_BINARY_DIR}/man3)
set(manual_source_dir ${PROJECT_SOURCE_DIR}/docs/man)
list(TRANSFORM public_headers PREPEND ${PROJECT_SOURCE_DIR}/
     OUTPUT_VARIABLE manual_headers)
# Of SOURCE_DATE_EPOCH, if that is set.
string(TIMESTAMP manual_date "%B %d, %Y" UTC)
add_custom_command(
    OUTPUT ${manual_dir}/pbturbo.3
    COMMAND sh ${manual_source_dir}/man_pages.sh ${manual_dir} ${manual_date}
            ${PROJECT_VERSION} ${manual_headers}
    DEPENDS ${manual_source_dir}/man_page.awk
            ${manual_source_dir}/man_pages.sh
            ${manual_source_dir}/pbturbo.3
            ${manual_headers}
    VERBATIM)
add_custom_target(pbturbo_manual ALL DEPENDS ${manual_dir}/pbturbo.3)
install(
    DIRECTORY ${manual_dir}/
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man3
    COMPONENT development)
