package io.hearth.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Formats rows of text as columns; each column is as wide as its longest cell. */
public final class Table {
    private static final String GAP = "  ";

    private Table() {}

    /** One line for each row; all rows have the same number of cells. */
    public static List<String> lines(List<List<String>> rows) {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        var lines = new ArrayList<String>();
        for (List<String> row : rows) {
            var line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                String cell = row.get(column);
                line.append(cell).repeat(" ", widths[column] - cell.length()).append(GAP);
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
