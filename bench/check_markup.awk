# check_markup.awk - is a page of HTML, or a drawing in SVG, well-formed and on
# its own? To be so, every tag is closed, in order; attributes are quoted and
# none is there twice; an ampersand starts one of XML's own references; and
# nothing is fetched from elsewhere. Prints what is wrong, and exits 1.
function complain(what) {
    printf "%s: %s\n", FILENAME, what
    bad = 1
}

# Text between tags, or the value of an attribute.
function check_text(text) {
    while (match(text, /&[^;]*;?/)) {
        reference = substr(text, RSTART, RLENGTH)
        if (reference !~ /^&(amp|lt|gt|quot|#[0-9]+);$/)
            complain("stray ampersand: " substr(reference, 1, 40))
        text = substr(text, RSTART + RLENGTH)
    }
    if (text ~ />/)
        complain("stray >: " substr(text, 1, 40))
}

function check_attributes(name, rest,    seen, attribute, value) {
    while (match(rest, /^[ \t\n]+[a-zA-Z:-]+="[^"<]*"/)) {
        attribute = substr(rest, 1, RLENGTH)
        rest = substr(rest, RLENGTH + 1)
        sub(/^[ \t\n]+/, "", attribute)
        value = attribute
        sub(/=.*/, "", attribute)
        sub(/^[^=]*="/, "", value)
        if (attribute in seen)
            complain("twice in <" name ">: " attribute)
        seen[attribute] = 1
        check_text(substr(value, 1, length(value) - 1))
        if (attribute ~ /^(src|href|xlink:href|data|action)$/ && value !~ /^#/)
            complain("refers to another file: " attribute "=" value)
    }
    if (rest !~ /^[ \t\n]*$/)
        complain("bad attribute in <" name ">: " substr(rest, 1, 40))
}

function check_tag(tag,    name, closed) {
    if (tag ~ /^!DOCTYPE html$/)
        return
    if (tag ~ /^\//) {
        name = substr(tag, 2)
        if (depth == 0 || open[depth] != name)
            complain("</" name "> closes <" open[depth] ">")
        else
            depth--
        return
    }
    closed = sub(/\/$/, "", tag)
    name = tag
    sub(/[ \t\n].*/, "", name)
    if (name !~ /^[a-zA-Z][a-zA-Z0-9]*$/)
        complain("no tag: <" substr(tag, 1, 40) ">")
    if (name ~ /^(script|iframe|object|embed|link|image|img)$/)
        complain("not for a page of its own: <" name ">")
    check_attributes(name, substr(tag, length(name) + 1))
    if (depth == 0 && n_roots++ > 0)
        complain("a second root: <" name ">")
    if (!closed)
        open[++depth] = name
}

{ page = page $0 "\n" }

END {
    if (page ~ /url\(|@import/)
        complain("the style fetches something")
    while (match(page, /<[^>]*>/)) {
        text = substr(page, 1, RSTART - 1)
        tag = substr(page, RSTART + 1, RLENGTH - 2)
        page = substr(page, RSTART + RLENGTH)
        check_text(text)
        if (depth == 0 && text ~ /[^ \t\n]/)
            complain("text outside: " substr(text, 1, 40))
        check_tag(tag)
    }
    check_text(page)
    if (page ~ /[^ \t\n]/)
        complain("text at the end, or an open tag: " substr(page, 1, 40))
    if (depth > 0)
        complain("not closed: <" open[depth] ">")
    if (n_roots == 0)
        complain("empty")
    exit bad
}
