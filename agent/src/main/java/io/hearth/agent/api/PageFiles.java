package io.hearth.agent.api;

import io.hearth.agent.http.ApiAnswer;
import io.hearth.core.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** The files of the page, and the description of the API: resources of this program and of its libraries. */
final class PageFiles {
    private static final String CHARTS = "/META-INF/resources/webjars/uplot/1.6.30/dist/";
    private static final String HTML = "text/html; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String STYLE = "text/css; charset=utf-8";

    private record File(String resource, String type) {}

    private static final Map<String, File> FILES = Map.ofEntries(
            Map.entry("/", new File("page/index.html", HTML)),
            Map.entry("/page.css", new File("page/page.css", STYLE)),
            Map.entry("/page.js", new File("page/page.js", SCRIPT)),
            Map.entry("/graph.js", new File("page/graph.js", SCRIPT)),
            Map.entry("/charts.js", new File("page/charts.js", SCRIPT)),
            Map.entry("/icon.svg", new File("page/icon.svg", "image/svg+xml")),
            Map.entry("/uplot.js", new File(CHARTS + "uPlot.iife.min.js", SCRIPT)),
            Map.entry("/uplot.css", new File(CHARTS + "uPlot.min.css", STYLE)),
            Map.entry(LocalApi.OPENAPI, new File("openapi.json", ApiAnswer.JSON)));

    ApiAnswer answer(String path) {
        File file = FILES.get(path);
        if (file == null) {
            return ApiAnswer.error(404, "there is nothing at this address; see " + LocalApi.OPENAPI);
        }
        try (InputStream in = PageFiles.class.getResourceAsStream(file.resource())) {
            if (in == null) {
                throw new IllegalStateException("this build of Hearth lacks " + file.resource());
            }
            return new ApiAnswer.Whole(200, file.type(), Bytes.of(in.readAllBytes()));
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
