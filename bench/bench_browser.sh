#!/bin/sh
# bench_browser.sh BENCH - pages and drawings as Chromium sees them: laid out
# without anything cut off, without a request for another file, and printable.
# Exit 77 where there is no Chromium.
set -eu
bench=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then
        browser=$name
    fi
done
if [ -z "${browser:-}" ]; then
    echo "skipped: no Chromium"
    exit 77
fi

fail() {
    echo "$*"
    exit 1
}

browse() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
        --user-data-dir="$work/profile" --window-size=1000,1000 "$@" \
        2>"$work/log" || {
        cat "$work/log"
        fail "$browser $*"
    }
}

# Runs in the page, after it is laid out; leaves its verdict as the title.
cat >"$work/script" <<'END'
<script>
const wrong = [];
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth) wrong.push("wider than the window");
if (performance.getEntriesByType("resource").length > 0) wrong.push("requests");
const bars = document.querySelectorAll("td.bar rect");
for (const bar of bars)
    if (bar.getBoundingClientRect().width <= 0) wrong.push("a bar of no width");
for (const drawing of document.querySelectorAll("svg[role=img]")) {
    const edge = drawing.getBoundingClientRect();
    for (const text of drawing.querySelectorAll("text")) {
        const box = text.getBoundingClientRect();
        if (box.left < edge.left || box.right > edge.right ||
            box.top < edge.top || box.bottom > edge.bottom || box.width <= 0)
            wrong.push("cut off: " + text.textContent);
    }
}
const shapes = bars.length + document.querySelectorAll("svg circle").length;
if (shapes === 0) wrong.push("no bars, no points");
document.title = wrong.length ? "WRONG: " + wrong.join("; ") : "all good";
</script>
END

# view FILE: a page, or a drawing within a page.
view() {
    {
        case $1 in
        *.svg) echo '<!DOCTYPE html><html><head><title></title></head><body>' ;;
        esac
        cat "$1" "$work/script"
    } >"$1.view.html"
    browse --dump-dom "file://$1.view.html" >"$work/dom"
    grep -q '<title>all good</title>' "$work/dom" ||
        fail "$1: $(grep '<title>' "$work/dom" | head -n 1)"
    browse --print-to-pdf="$work/print.pdf" "file://$1" >/dev/null
    [ "$(head -c 5 "$work/print.pdf")" = "%PDF-" ] || fail "$1: not printed"
}

"$bench" --quick --dataset dnstap,metrics,blobs --report "$work/page.html" \
    >/dev/null
view "$work/page.html"
"$bench" --quick --largest 100000 --plot "$work/plot.svg" >/dev/null 2>&1
view "$work/plot.svg"
