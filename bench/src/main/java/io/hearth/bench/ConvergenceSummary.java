package io.hearth.bench;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The results of one codec over all seeds.
 *
 * @param codec as the user wrote it
 * @param seeds number of seeds
 * @param accuracy in percent
 * @param difference to the training without compression with the same seed, in percentage points; empty if there is none
 * @param sentRatio mean over the seeds, as {@link ConvergenceLine#sentRatio}
 */
public record ConvergenceSummary(
        String codec, int seeds, Interval accuracy, Optional<Interval> difference, double sentRatio) {
    /** The summaries of all codecs in {@code lines}, in order of their first lines. */
    public static List<ConvergenceSummary> of(List<ConvergenceLine> lines) {
        Map<Long, Double> exact = lines.stream()
                .filter(line -> line.codec().equals(ConvergenceCodec.EXACT))
                .collect(Collectors.toMap(ConvergenceLine::seed, ConvergenceLine::accuracy));
        var summaries = new ArrayList<ConvergenceSummary>();
        for (String codec :
                lines.stream().map(ConvergenceLine::codec).distinct().toList()) {
            summaries.add(of(
                    codec,
                    lines.stream().filter(line -> line.codec().equals(codec)).toList(),
                    exact));
        }
        return summaries;
    }

    private static ConvergenceSummary of(String codec, List<ConvergenceLine> lines, Map<Long, Double> exact) {
        List<Double> accuracies = lines.stream().map(ConvergenceLine::accuracy).toList();
        var differences = new ArrayList<Double>();
        for (ConvergenceLine line : lines) {
            Double paired = exact.get(line.seed());
            if (paired != null) {
                differences.add(line.accuracy() - paired);
            }
        }
        return new ConvergenceSummary(
                codec,
                lines.size(),
                Interval.of(accuracies),
                differences.isEmpty() ? Optional.empty() : Optional.of(Interval.of(differences)),
                Interval.of(lines.stream().map(ConvergenceLine::sentRatio).toList())
                        .mean());
    }

    /** One line of JSON. An interval of one seed is null, and so is a difference without uncompressed trainings. */
    public JsonObject toJson() {
        var json = new JsonObject();
        json.addProperty("codec", codec);
        json.addProperty("seeds", seeds);
        json.add("accuracy_mean", Rounded.json(accuracy.mean()));
        json.add("accuracy_ci95", Rounded.json(accuracy.half()));
        json.add("difference_mean", Rounded.json(difference.map(Interval::mean).orElse(Double.NaN)));
        json.add("difference_ci95", Rounded.json(difference.map(Interval::half).orElse(Double.NaN)));
        json.add("sent_ratio", Rounded.json(sentRatio));
        return json;
    }
}
