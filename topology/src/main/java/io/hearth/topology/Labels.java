package io.hearth.topology;

/**
 * Makes text from elsewhere safe to show on terminals, pages and in logs: without control, format, escape and bidi characters
 * nobody can forge a line, move the cursor or turn a name around.
 */
final class Labels {
    /** Most code points of a label; at most 252 bytes of UTF-8. */
    static final int CHARACTERS_MAX = 63;

    private Labels() {}

    /** At most {@value #CHARACTERS_MAX} harmless characters of {@code text}, runs of blanks made one. */
    static String clean(String text) {
        var clean = new StringBuilder();
        int characters = 0;
        boolean blank = false;
        for (int i = 0; i < text.length() && characters < CHARACTERS_MAX; ) {
            int point = text.codePointAt(i);
            i += Character.charCount(point);
            if (Character.isWhitespace(point) || Character.isSpaceChar(point)) {
                blank = characters > 0;
            } else if (isShown(point)) {
                if (blank && characters + 1 < CHARACTERS_MAX) {
                    clean.append(' ');
                    characters++;
                }
                blank = false;
                clean.appendCodePoint(point);
                characters++;
            }
        }
        return clean.toString();
    }

    private static boolean isShown(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL, // ESC, newline, C1
                    Character.FORMAT, // bidi overrides and isolates, zero width, tags
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
