/* A decoder of files with something inside: the file itself is its one child, and in the form image the picture of each of its two units. */
#include "glovebox.h"

static int decode(gb_call *c) {
    gb_bytes in;
    if (gb_input_all(c, &in)) return c->status;
    if (c->req.child_len) {
        if (c->req.child[0] != 1) return gb_invalid(c, "there is no such file");
        return gb_file(c, 0, 1, gb_str("inner \"1\".txt"), gb_str("text/plain"), in);
    }
    if (gb_child(c, 1, gb_str("inner \"1\".txt"), gb_str("text/plain"), (int64_t)in.len)) return c->status;
    gb_units(c, 2);
    for (int64_t at = gb_next(c); at; at = gb_next(c)) {
        if (gb_text(c, at, c->req.password)) break;
        if (gb_equal(c->req.form, "image") && gb_file(c, at, at, gb_str("p.png"), gb_str("image/png"), in)) break;
    }
    return c->status;
}

GB_DECODER((.name = "holder", .version = "1.0.0", .media_types = "text/plain", .unit = "file", .forms = "image", .children = 1, .decode = decode))
