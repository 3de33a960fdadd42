# man_page.awk - makes a manual page in mdoc of a public header. Set the
# variables date, version and name; name is the name of the page.
#
# What it knows of a header: the comment at the top, and behind extern "C" each
# comment and each declaration. /** */ documents the declaration behind it; any
# other comment, and a declaration without one, is shown as it stands.

function escape(line) {
    gsub(/\\/, "\\e", line)
    if (line ~ /^[.']/)
        line = "\\&" line
    return line
}

# Takes the frame of a comment off a line of it.
function strip(line) {
    sub(/^ *\/\*\*? ?/, "", line)
    sub(/ *\*\/.*$/, "", line)
    sub(/^ \* ? ?/, "", line)
    sub(/^ \*$/, "", line)
    return line
}

function put(line) {
    body[++n_body] = line
}

# In mdoc a sentence begins a line.
function put_text(line,    rest) {
    if (paragraph && body[n_body] !~ /^\.(Ed|Ss|Sh)/)
        put(".Pp")
    paragraph = 0
    while (match(line, /[A-Za-z0-9_)"`]\. +[A-Z`"]/)) {
        rest = substr(line, RSTART + 2)
        put(escape(substr(line, 1, RSTART + 1)))
        sub(/^ +/, "", rest)
        line = rest
    }
    put(escape(line))
}

function open_list() {
    paragraph = 0
    if (!in_list)
        put(".Bl -tag -width Ds")
    in_list = 1
}

function close_list() {
    if (in_list)
        put(".El")
    in_list = 0
}

# What follows other such text is shown together with it.
function put_literal(text,    lines, n, i) {
    close_list()
    if (body[n_body] == ".Ed")
        n_body--
    else
        put(".Bd -literal")
    n = split(text, lines, "\n")
    for (i = 1; i <= n; i++)
        put(escape(lines[i]))
    put(".Ed")
}

# A line of a docstring. A label may stand within a line: "Threads: any. Cost:
# one pass."
function put_doc_line(line,    words, rest) {
    if (match(line, /\. +(Errors|Memory|Threads|Cost|Source):/)) {
        rest = substr(line, RSTART + 1)
        put_doc_line(substr(line, 1, RSTART))
        put_doc_line(rest)
        return
    }
    sub(/^ +/, "", line)
    if (line == "") {
        close_list()
        paragraph = n_body > 0
    } else if (line ~ /^@param /) {
        split(line, words, / +/)
        rest = line
        sub(/^@param +[^ ]+ +\[[a-z,]+\] */, "", rest)
        open_list()
        put(".It Fa " words[2] " Pq " direction(words[3]))
        put_text(rest)
    } else if (line ~ /^@return /) {
        open_list()
        put(".It Em returns")
        put_text(substr(line, 9))
    } else if (line ~ /^(Errors|Memory|Threads|Cost|Source|Flags|Units):/) {
        open_list()
        put(".It Em " substr(line, 1, index(line, ":") - 1))
        sub(/^[A-Za-z]+: */, "", line)
        put_text(line)
    } else {
        put_text(line)
    }
}

function direction(word) {
    gsub(/[][]/, "", word)
    sub(/,/, " and ", word)
    return word
}

function put_doc(text,    lines, n, i) {
    n = split(text, lines, "\n")
    for (i = 1; i <= n; i++)
        put_doc_line(lines[i])
    close_list()
    paragraph = 0
}

# The name that a declaration declares.
function name_of(text) {
    if (match(text, /^#define [A-Za-z0-9_]+/))
        return substr(text, 9, RLENGTH - 8)
    sub(/ PBT_MUST_USE/, "", text)
    if (text !~ /^typedef/)
        sub(/\(.*/, "", text)
    sub(/;[ \n]*$/, "", text)
    match(text, /[A-Za-z0-9_]+$/)
    return substr(text, RSTART, RLENGTH)
}

# A call goes into the synopsis in parts, a variable as it is.
function put_synopsis(text, called,    arguments, parts, n, i, kind) {
    sub(/^(extern )?PBT_API /, "", text)
    gsub(/ PBT_MUST_USE|;/, "", text)
    gsub(/[ \n]+/, " ", text)
    if (text !~ /\(/) {
        synopsis = synopsis ".Vt " text "\n"
        return
    }
    kind = substr(text, 1, index(text, called "(") - 1)
    arguments = substr(text, index(text, "(") + 1)
    sub(/\)$/, "", arguments)
    sub(/ $/, "", kind)
    synopsis = synopsis ".Ft " kind "\n.Fo " called "\n"
    n = split(arguments, parts, /, /)
    for (i = 1; i <= n; i++)
        synopsis = synopsis ".Fa \"" parts[i] "\"\n"
    synopsis = synopsis ".Fc\n"
}

function end_declaration(    called) {
    called = name_of(declaration)
    if (declaration ~ /PBT_API/) {
        calls[++n_calls] = called
        put_synopsis(declaration, called)
    }
    if (doc != "") {
        put(".Ss " called)
        if (declaration !~ /PBT_API/)
            put_literal(declaration)
        put_doc(doc)
    } else {
        put_literal(declaration)
    }
    doc = ""
    declaration = ""
}

# The comment at the top: "pbturbo/x.h - what it is." and paragraphs.
NR == 1 {
    title = strip($0)
    sub(/^[^ ]+ - /, "", title)
    at_top = ($0 !~ /\*\//)
    if (!at_top)
        next
    in_title = 1
    next
}
at_top {
    line = strip($0)
    if (in_title && line == "")
        in_title = 0
    else if (in_title)
        title = title " " line
    else
        put_doc_line(line)
    if ($0 ~ /\*\//)
        at_top = paragraph = 0
    next
}

/^extern "C" \{/ { in_interface = 1; next }
/^#ifdef __cplusplus/ && in_interface { in_interface = 0 }
!in_interface { next }
/^#endif/ && !declaring && declaration == "" { next }

in_comment {
    comment = comment "\n" strip($0)
    if ($0 ~ /\*\//)
        end_comment()
    next
}
/^\/\*/ && declaration == "" {
    is_doc = /^\/\*\*/
    comment = strip($0)
    in_comment = 1
    if ($0 ~ /\*\//)
        end_comment()
    next
}
/^$/ && declaration == "" { next }
{
    declaration = declaration == "" ? $0 : declaration "\n" $0
    if (is_complete($0))
        end_declaration()
}

function is_complete(line) {
    if (declaration ~ /^#define/)
        return line !~ /\\$/
    if (declaration ~ /^typedef (struct|enum) [a-z_]+ \{/)
        return line ~ /^\}.*;/
    return line ~ /;$/
}

function end_comment() {
    in_comment = 0
    sub(/\n$/, "", comment)
    if (is_doc)
        doc = comment
    else
        put_literal(body[n_body] == ".Ed" ? "\n" comment : comment)
}

END {
    sub(/\.$/, "", title)
    printf ".\\\" Made of pbturbo/%s.h.\n", substr(name, 9)
    printf ".Dd %s\n.Dt %s 3\n.Os pbturbo %s\n.Sh NAME\n", date, toupper(name),
        version
    printf ".Nm %s", name
    for (i = 1; i <= n_calls; i++)
        printf " ,\n.Nm %s", calls[i]
    printf "\n.Nd %s\n.Sh SYNOPSIS\n", title
    printf ".In pbturbo/%s.h\n%s.Sh DESCRIPTION\n", substr(name, 9), synopsis
    for (i = 1; i <= n_body; i++)
        print body[i]
    print ".Sh SEE ALSO\n.Xr pbturbo 1 ,\n.Xr pbturbo 3"
}
