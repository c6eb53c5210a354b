package io.hearth.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Formats rows of text as columns; each column is as wide as its longest cell. */
public final class Table {
    private static final String GAP = "  ";
    private static final int CELL_MIN = 6; // to which the widest column may be cut

    private Table() {}

    /** One line for each row; all rows have the same number of cells. */
    public static List<String> lines(List<List<String>> rows) {
        int[] widths = widths(rows);
        var lines = new ArrayList<String>();
        for (List<String> row : rows) {
            var line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                String cell = row.get(column);
                line.append(cell).repeat(" ", widths[column] - length(cell)).append(GAP);
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    /**
     * As {@link #lines(List)}, in lines of at most {@code width} characters: leaves out columns, then cuts the widest ones.
     *
     * @param spare columns that may be left out, in that order
     */
    public static List<String> lines(List<List<String>> rows, int width, List<Integer> spare) {
        List<Integer> kept = new ArrayList<>(
                IntStream.range(0, rows.getFirst().size()).boxed().toList());
        List<List<String>> narrow = rows;
        for (int next = 0; total(narrow) > width && next < spare.size(); next++) {
            int out = spare.get(next);
            kept.removeIf(column -> column == out);
            narrow = rows.stream()
                    .map(row -> kept.stream().map(row::get).toList())
                    .toList();
        }
        while (total(narrow) > width) {
            int[] widths = widths(narrow);
            int widest = IntStream.range(0, widths.length)
                    .reduce(0, (one, other) -> widths[other] > widths[one] ? other : one);
            if (widths[widest] <= CELL_MIN) {
                break;
            }
            int most = Math.max(CELL_MIN, widths[widest] - (total(narrow) - width));
            narrow = narrow.stream().map(row -> cut(row, widest, most)).toList();
        }
        return lines(narrow);
    }

    private static List<String> cut(List<String> row, int column, int most) {
        var cut = new ArrayList<>(row);
        String cell = row.get(column);
        if (length(cell) > most) {
            cut.set(column, cell.substring(0, cell.offsetByCodePoints(0, most - 1)) + "…");
        }
        return cut;
    }

    private static int total(List<List<String>> rows) {
        return IntStream.of(widths(rows)).sum()
                + GAP.length() * (rows.getFirst().size() - 1);
    }

    private static int[] widths(List<List<String>> rows) {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], length(row.get(column)));
            }
        }
        return widths;
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
