package io.hearth.agent.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.guest.GuestService;
import java.util.List;

/** The JSON form of the services that this machine offers. */
final class ServicesJson {
    private ServicesJson() {}

    static JsonArray of(List<GuestService> services) {
        var list = new JsonArray();
        services.forEach(service -> list.add(service(service)));
        return list;
    }

    private static JsonObject service(GuestService service) {
        var json = new JsonObject();
        json.addProperty("name", service.name());
        json.addProperty("address", service.address());
        service.answeredBy().ifPresent(node -> json.addProperty("answered_by", node.text()));
        service.vacancy().ifPresent(why -> json.addProperty("vacancy", why));
        json.addProperty("keepers", service.keepers());
        var jobs = new JsonArray();
        service.jobs().forEach(job -> jobs.add(job(job)));
        json.add("jobs", jobs);
        return json;
    }

    private static JsonObject job(GuestService.Job job) {
        var json = new JsonObject();
        json.addProperty("name", job.name());
        json.addProperty("state", job.state());
        json.addProperty("reason", job.reason());
        json.addProperty("epoch", job.epoch());
        json.addProperty("epochs", job.epochs());
        json.addProperty("parts_done", job.partsDone());
        json.addProperty("parts", job.parts());
        json.addProperty("samples_per_second", job.samplesPerSecond());
        job.secondsLeft().ifPresent(seconds -> json.addProperty("seconds_left", seconds));
        return json;
    }
}
