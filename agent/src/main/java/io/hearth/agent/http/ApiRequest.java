package io.hearth.agent.http;

import io.hearth.core.Bytes;
import java.util.Map;

/**
 * A request that may be answered.
 *
 * @param method as received, such as {@code GET}
 * @param path decoded, without the query; begins with a slash
 * @param query the first value of each parameter
 * @param body at most {@link HttpListener#BODY_BYTES_MAX} bytes
 * @param isTrusted whether it came over the unix socket, which only this user can reach
 */
public record ApiRequest(String method, String path, Map<String, String> query, Bytes body, boolean isTrusted) {
    public ApiRequest {
        query = Map.copyOf(query);
    }
}
