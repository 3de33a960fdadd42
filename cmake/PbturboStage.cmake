# Run by cpack between the installation into a folder for each component and the
# packing: adds what a Debian package has and an installation has not, and finds
# out what each package depends on.
set(control_dir ${CPACK_PBTURBO_CONTROL_DIR})
set(runtime_package ${CPACK_PBTURBO_RUNTIME_PACKAGE})
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
file(MAKE_DIRECTORY ${control_dir})

function(pbti_run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The symbols of each node came with the version that the node is called after.
function(pbti_write_symbols)
    set(node)
    set(symbols)
    file(STRINGS ${CPACK_PBTURBO_SOURCE_DIR}/cmake/pbturbo.map lines
         REGEX "^PBTURBO_|^ +pbt_")
    # A semicolon would split the list.
    foreach(line IN LISTS lines)
        if(line MATCHES "^(PBTURBO_([0-9.]+))")
            set(node ${CMAKE_MATCH_1})
            set(since ${CMAKE_MATCH_2}.0)
            list(APPEND symbols " ${node}@${node} ${since}")
        elseif(line MATCHES "(pbt_[a-z0-9_]+)")
            list(APPEND symbols " ${CMAKE_MATCH_1}@${node} ${since}")
        endif()
    endforeach()
    list(SORT symbols)
    list(JOIN symbols "\n" symbols)
    file(WRITE ${control_dir}/symbols
         "libpbturbo.so.${CPACK_PBTURBO_SONAME_VERSION} ${runtime_package}"
         " #MINVER#\n* Build-Depends-Package: libpbturbo-dev\n${symbols}\n")
endfunction()

function(pbti_write_control_files)
    pbti_write_symbols()
    set(shlibs "libpbturbo ${CPACK_PBTURBO_SONAME_VERSION} ${runtime_package}")
    string(APPEND shlibs " (>= ${CPACK_PACKAGE_VERSION})\n")
    file(WRITE ${control_dir}/shlibs "${shlibs}")
    # What dpkg-shlibdeps reads.
    file(WRITE ${control_dir}/shlibs.local "${shlibs}")
    file(WRITE ${control_dir}/control
         "Source: pbturbo\n\nPackage: pbturbo\nArchitecture: any\n")
    file(WRITE ${control_dir}/triggers "activate-noawait ldconfig\n")
endfunction()

# Compressed without name and time, so that the same tree gives the same bytes.
function(pbti_compress)
    if(ARGN)
        pbti_run(gzip -9nf ${ARGN})
    endif()
endfunction()

function(pbti_write_documents folder)
    file(COPY_FILE ${CPACK_PBTURBO_SOURCE_DIR}/LICENSE ${folder}/copyright)

    # CMake takes the time from SOURCE_DATE_EPOCH, if that is set.
    string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
    file(WRITE ${folder}/changelog.Debian
         "pbturbo (${version}) unstable; urgency=medium\n\n"
         "  * Packages of version ${CPACK_PACKAGE_VERSION}.\n\n"
         " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    file(COPY_FILE ${CPACK_PBTURBO_SOURCE_DIR}/CHANGELOG.md ${folder}/changelog)
    # They are there as copyright and changelog.
    file(REMOVE ${folder}/LICENSE ${folder}/CHANGELOG.md)
    pbti_compress(${folder}/changelog.Debian ${folder}/changelog)
endfunction()

# What dh_strip would do beyond what CMake has done.
function(pbti_strip objects archives)
    set(sections --remove-section=.comment --remove-section=.note)
    if(objects)
        pbti_run(strip --strip-unneeded ${sections} ${objects})
    endif()
    if(archives)
        pbti_run(strip --strip-debug --enable-deterministic-archives ${sections}
                 ${archives})
    endif()
endfunction()

# The programs and shared libraries in a folder.
function(pbti_find_objects folder result)
    set(objects)
    file(GLOB_RECURSE files ${folder}/bin/* ${folder}/lib/*)
    foreach(file IN LISTS files)
        if(NOT IS_SYMLINK ${file})
            file(READ ${file} magic LIMIT 4 HEX)
            if(magic STREQUAL "7f454c46")
                list(APPEND objects ${file})
            endif()
        endif()
    endforeach()
    set(${result} "${objects}" PARENT_SCOPE)
endfunction()

# The package names behind the libraries that programs and shared libraries are
# linked with, for the field Depends.
function(pbti_find_dependencies objects result)
    set(${result} "" PARENT_SCOPE)
    if(NOT objects)
        return()
    endif()
    file(GLOB_RECURSE library ${CPACK_TEMPORARY_DIRECTORY}/runtime/*.so.*)
    list(GET library 0 library)
    get_filename_component(library_dir ${library} DIRECTORY)
    get_filename_component(work_dir ${control_dir} DIRECTORY)
    execute_process(
        COMMAND dpkg-shlibdeps -O -l${library_dir} -L${control_dir}/shlibs.local
                ${objects}
        WORKING_DIRECTORY ${work_dir}
        OUTPUT_VARIABLE dependencies
        COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE "^shlibs:Depends=" "" dependencies "${dependencies}")
    string(STRIP "${dependencies}" dependencies)
    set(${result} "${dependencies}" PARENT_SCOPE)
endfunction()

# A package is not moved; with its prefix spelled out, pkg-config sees that these
# are the compiler's own folders, and adds no options for them.
function(pbti_settle_prefix folder)
    file(GLOB_RECURSE files ${folder}/lib/*.pc)
    foreach(file IN LISTS files)
        file(READ ${file} text)
        string(REGEX REPLACE "prefix=[^\n]*pcfiledir[^\n]*"
                             "prefix=${CPACK_PACKAGING_INSTALL_PREFIX}" text
                             "${text}")
        file(WRITE ${file} "${text}")
    endforeach()
endfunction()

pbti_write_control_files()
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} upper)
    set(stage
        ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
    pbti_write_documents(
        ${stage}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    file(GLOB_RECURSE pages ${stage}/share/man/*.[1-9])
    pbti_compress(${pages})
    pbti_settle_prefix(${stage})
    pbti_find_objects(${stage} objects)
    file(GLOB_RECURSE archives ${stage}/lib/*.a)
    pbti_strip("${objects}" "${archives}")

    pbti_find_dependencies("${objects}" found)
    set(depends CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS)
    if(found AND ${depends})
        set(${depends} "${${depends}}, ${found}")
    elseif(found)
        set(${depends} "${found}")
    endif()
endforeach()
