package io.hearth.serve.grpc;

import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The status of a service: {@code /} is a page that renews itself, {@code /status} the part of it that changes, {@code /NAME.json} the same
 * for scripts.
 *
 * @param <V> what is shown
 */
public final class StatusPages<V> implements ServicePort.Pages {
    /** What a machine says that does not answer calls itself. */
    public static final String ELSEWHERE =
            "<p>This machine does not answer now: another one of the cluster does, or none can.</p>\n";

    private static final String HTML = "text/html";

    private final String title;
    private final String jsonPath;
    private final Supplier<CompletableFuture<V>> newest;
    private final Function<V, String> html;
    private final Function<V, ? extends Object> json;

    /**
     * Pages of one service.
     *
     * @param title of the page
     * @param jsonName name of the JSON below {@code /}, without its ending
     * @param newest what is shown, at once or soon; it must not block
     * @param html lines of a page's body
     * @param json whose text is JSON
     */
    public StatusPages(
            String title,
            String jsonName,
            Supplier<CompletableFuture<V>> newest,
            Function<V, String> html,
            Function<V, ? extends Object> json) {
        this.title = title;
        this.jsonPath = "/" + jsonName + ".json";
        this.newest = newest;
        this.html = html;
        this.json = json;
    }

    @Override
    public CompletableFuture<ServicePort.Page> answer(String method, String uri) {
        if (!method.equals("GET")) {
            return new ServicePort.Page(405, "text/plain", "only GET\n").now();
        }
        String path = uri.split("\\?", 2)[0];
        if (path.equals("/")) {
            return newest.get().thenApply(view -> new ServicePort.Page(200, HTML, page(html.apply(view))));
        }
        if (path.equals("/status")) {
            return newest.get().thenApply(view -> new ServicePort.Page(200, HTML, html.apply(view)));
        }
        if (path.equals(jsonPath)) {
            return newest.get()
                    .thenApply(view -> new ServicePort.Page(200, "application/json", json.apply(view) + "\n"));
        }
        return new ServicePort.Page(404, "text/plain", "").now();
    }

    private String page(String body) {
        return """
                <!doctype html>
                <html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">
                <title>Hearth %s</title>
                <style>body{font:15px system-ui,sans-serif;margin:2em;color-scheme:light dark}\
                table{border-collapse:collapse}td,th{text-align:left;padding:.2em 1em .2em 0}</style></head>
                <body><h1>%s</h1>
                %s</body></html>
                """.formatted(title.toLowerCase(Locale.ROOT), title, body);
    }

    /** A text that HTML shows as it is. */
    public static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
