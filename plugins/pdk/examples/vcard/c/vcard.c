/*
 * vCard to text, one unit for each card: ../vcard.go in C.
 *
 *     clang --target=wasm32 -std=c99 -O2 -mbulk-memory -ffreestanding -nostdlib -Wl,--no-entry,--stack-first \
 *         -I plugins/pdk/c -o vcard.wasm plugins/pdk/examples/vcard/c/vcard.c
 */
#include "glovebox.h"

typedef struct { gb_bytes text; int replaced, media; } card;

typedef struct { gb_buf name, label; gb_bytes value; } prop; /* label: the types, as they are shown */

static uint8_t upper(uint8_t c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; }
static uint8_t lower(uint8_t c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
static gb_bytes head(gb_bytes s, size_t n) { s.len = n; return s; }
static gb_bytes tail(gb_bytes s, size_t n) { s.ptr += n; s.len -= n; return s; }

static int same(gb_bytes a, const char *s) { /* without regard to case */
    size_t i = 0;
    for (; i < a.len && s[i]; i++)
        if (upper(a.ptr[i]) != (uint8_t)s[i]) return 0;
    return i == a.len && !s[i];
}

static size_t find(gb_bytes s, uint8_t c) { /* s.len: not there */
    size_t i = 0;
    while (i < s.len && s.ptr[i] != c) i++;
    return i;
}

static size_t outside(gb_bytes s, uint8_t c) { /* the first c that stands in no quotes; s.len: there is none */
    size_t i = 0;
    for (int inside = 0; i < s.len && (s.ptr[i] != c || inside); i++)
        if (s.ptr[i] == '"') inside = !inside;
    return i;
}

static gb_bytes cut(gb_bytes *data) { /* the next line, without its end */
    size_t n = find(*data, '\n');
    gb_bytes line = head(*data, n);
    *data = tail(*data, n + (n < data->len));
    if (n && line.ptr[n - 1] == '\r') line.len--;
    return line;
}

static int quoted(gb_bytes line) { /* do the parameters say quoted-printable? */
    static const char word[] = "QUOTED-PRINTABLE";
    const size_t n = sizeof word - 1;
    gb_bytes h = head(line, find(line, ':'));
    for (; h.len >= n; h = tail(h, 1))
        if (same(head(h, n), word)) return 1;
    return 0;
}

static gb_bytes unfold(gb_bytes *data) { /* a line with those that continue it: RFC 6350, 3.2, and vCard 2.1's "=" */
    gb_buf b = {0};
    gb_put(&b, cut(data));
    for (;;) {
        if (data->len && (data->ptr[0] == ' ' || data->ptr[0] == '\t')) *data = tail(*data, 1);
        else if (data->len && b.len && b.ptr[b.len - 1] == '=' && quoted(gb_view(&b))) b.len--;
        else return gb_view(&b);
        gb_put(&b, cut(data));
    }
}

static int digit(uint8_t c) {
    c = upper(c);
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static gb_bytes printable(gb_bytes s) { /* quoted-printable; what is none stays as it is */
    gb_buf b = {0};
    for (size_t i = 0; i < s.len; i++) {
        int hi = -1, lo = -1;
        if (s.ptr[i] == '=' && i + 2 < s.len) hi = digit(s.ptr[i + 1]), lo = digit(s.ptr[i + 2]);
        if (hi >= 0 && lo >= 0) {
            gb_putc(&b, (uint8_t)(hi << 4 | lo));
            i += 2;
        } else {
            gb_putc(&b, s.ptr[i]);
        }
    }
    return gb_view(&b);
}

static gb_bytes plain(gb_bytes v, int structured) { /* escapes out, components joined by commas, later lines indented */
    gb_buf b = {0};
    size_t start = 0;
    for (size_t i = 0; i < v.len; i++) {
        uint8_t c = v.ptr[i], next = i + 1 < v.len ? v.ptr[i + 1] : 0;
        int escaped = c == '\\' && (next == '\\' || next == ',' || next == ';' || next == 'n' || next == 'N');
        if (escaped) {
            i++;
            c = next == 'n' || next == 'N' ? '\n' : next;
        }
        if (c == '\r') continue;
        if (c == '\n') {
            gb_puts(&b, "\n  ");
        } else if (c == ';' && structured && !escaped) {
            if (b.len > start) {
                gb_puts(&b, ", ");
                start = b.len;
            }
        } else {
            gb_putc(&b, c);
        }
    }
    if (start && b.len == start) b.len -= 2;
    return gb_view(&b);
}

static void types(prop *p, gb_bytes param) { /* TYPE=home,work and vCard 2.1's bare HOME */
    size_t eq = find(param, '=');
    if (eq < param.len) {
        if (!same(head(param, eq), "TYPE")) return;
        param = tail(param, eq + 1);
    }
    while (param.len && param.ptr[0] == '"') param = tail(param, 1);
    while (param.len && param.ptr[param.len - 1] == '"') param.len--;
    for (int more = 1; more;) {
        size_t n = find(param, ',');
        gb_bytes t = head(param, n);
        more = n < param.len;
        param = tail(param, n + (size_t)more);
        if (!t.len || same(t, "QUOTED-PRINTABLE") || same(t, "BASE64")) continue;
        gb_puts(&p->label, p->label.len ? ", " : " (");
        for (size_t i = 0; i < t.len; i++) gb_putc(&p->label, lower(t.ptr[i]));
    }
}

static int property(gb_bytes line, prop *p) { /* [group.]NAME[;parameter...]:value */
    prop none = {0};
    size_t colon = outside(line, ':');
    *p = none;
    if (colon == line.len) return 0;
    gb_bytes params = head(line, colon);
    size_t end = outside(params, ';'), dot = end;
    while (dot && params.ptr[dot - 1] != '.') dot--;
    for (size_t i = dot; i < end; i++) {
        uint8_t c = upper(params.ptr[i]);
        if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '-') return 0;
        gb_putc(&p->name, c);
    }
    if (!p->name.len) return 0;
    while (end < params.len) {
        params = tail(params, end + 1);
        end = outside(params, ';');
        types(p, head(params, end));
    }
    if (p->label.len) gb_putc(&p->label, ')');
    p->value = tail(line, colon + 1);
    if (quoted(line)) p->value = printable(p->value);
    return 1;
}

static int one_of(gb_bytes name, const char *const *list) {
    for (; *list; list++)
        if (gb_equal(name, *list)) return 1;
    return 0;
}

static void add(gb_buf *text, int *media, prop *p) {
    static const char *const silent[] = {"VERSION", "PRODID", "REV", "UID", 0}, *const binary[] = {"PHOTO", "LOGO", "SOUND", "KEY", 0};
    static const char *const structured[] = {"N", "ADR", "ORG", 0};
    static const char *const labels[][2] = {
        {"FN", "Name"}, {"N", "Name parts"}, {"NICKNAME", "Nickname"}, {"TEL", "Phone"}, {"EMAIL", "Email"}, {"ADR", "Address"},
        {"ORG", "Organization"}, {"TITLE", "Title"}, {"ROLE", "Role"}, {"BDAY", "Birthday"}, {"URL", "URL"}, {"NOTE", "Note"},
    };
    gb_bytes name = gb_view(&p->name), label = name;
    if (one_of(name, silent)) return;
    if (one_of(name, binary)) {
        *media = 1;
        return;
    }
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (gb_equal(name, labels[i][0])) label = gb_str(labels[i][1]);
    gb_put(text, label);
    gb_put(text, gb_view(&p->label));
    gb_puts(text, ": ");
    gb_put(text, plain(p->value, one_of(name, structured)));
    gb_putc(text, '\n');
}

static int parse(gb_call *c, gb_bytes data, gb_buf *cards, size_t *n) {
    gb_buf text = {0};
    int open = 0, media = 0;
    while (data.len) {
        gb_bytes line = unfold(&data);
        size_t blank = 0;
        prop p;
        while (blank < line.len && (line.ptr[blank] == ' ' || line.ptr[blank] == '\t')) blank++;
        if (blank == line.len) continue;
        int ok = property(line, &p), begin = ok && gb_equal(gb_view(&p.name), "BEGIN") && same(p.value, "VCARD");
        if (!open && !begin) return gb_malformed(c, "there is something outside a card");
        if (!open) {
            gb_buf none = {0};
            text = none;
            media = 0;
            open = 1;
        } else if (begin) {
            return gb_malformed(c, "a card begins inside a card");
        } else if (!ok) {
            return gb_malformed(c, "a line of a card is no property");
        } else if (gb_equal(gb_view(&p.name), "END")) {
            gb_buf out = {0};
            gb_putc(&text, '\n');
            card done = {{0}, gb_utf8(&out, gb_view(&text)) > 0, media};
            done.text = gb_view(&out);
            gb_bytes raw = {(const uint8_t *)&done, sizeof done};
            gb_put(cards, raw);
            ++*n;
            open = 0;
        } else {
            add(&text, &media, &p);
        }
    }
    if (open) return gb_malformed(c, "a card does not end");
    return *n ? GB_OK : gb_malformed(c, "there is no card");
}

static int decode(gb_call *c) {
    gb_bytes in;
    gb_buf list = {0}, meta = {0};
    size_t n = 0;
    if (gb_input_all(c, &in)) return c->status;
    if (in.len >= 3 && gb_equal(head(in, 3), "\xEF\xBB\xBF")) in = tail(in, 3);
    if (parse(c, in, &list, &n)) return c->status;
    const card *cards = (const card *)(void *)list.ptr;
    gb_puts(&meta, "{\"cards\":");
    gb_puti(&meta, (int64_t)n);
    gb_putc(&meta, '}');
    gb_meta(c, gb_view(&meta));
    gb_units(c, (int64_t)n);
    for (int64_t at = gb_next(c); at; at = gb_next(c)) {
        const card *k = &cards[at - 1];
        if (gb_text(c, at, k->text)) break;
        if (k->replaced) gb_warn(c, "replaced", "bytes that are not UTF-8", at);
        if (k->media) gb_warn(c, "partial", "pictures, sounds and keys are left out", at);
    }
    return c->status;
}

static const char sample[] = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n";
static const gb_sample samples[] = {{"text/vcard", sample, sizeof sample - 1}};

GB_DECODER((.name = "vcard", .version = "1.0.0", .media_types = "text/vcard text/x-vcard", .unit = "card", .forms = "text",
            .samples = samples, .samples_len = 1, .decode = decode))
