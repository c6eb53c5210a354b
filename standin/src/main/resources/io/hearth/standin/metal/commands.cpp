// Queue, command buffer, encoder, event: the states that Metal requires.
#include "commands.h"
#include <cstring>

static constexpr uint64_t INDEX_MAX = 30;
static constexpr uint64_t BYTES_MAX = 4096;

void wait_while(const std::string& key);

static Object* new_queue(Object*, Selector) {
    return take_fault("no_queue") ? nullptr : make<Object>("FakeQueue");
}

static Object* new_event(Object*, Selector) {
    return make<Event>("FakeEvent");
}

static void keep(Commands* commands, Object* object) {
    retain(object);
    commands->kept.push_back(object);
}

static Object* command_buffer(Object*, Selector) {
    Commands* commands = make<Commands>("FakeCommands");
    commands->destroy = [](Object* self) {
        for (Object* object : static_cast<Commands*>(self)->kept) {
            release(object);
        }
    };
    return autoreleased(commands);
}

static Object* encoder(Commands* self, Selector) {
    if (self->committed || self->open) {
        violation(self->open ? "a second encoder while one is open" : "an encoder after commit");
    }
    if (take_fault("no_encoder")) {
        return nullptr;
    }
    Encoder* made = make<Encoder>("FakeEncoder");
    made->commands = self;
    self->open = made;
    retain(self);
    made->destroy = [](Object* object) {
        Encoder* gone = static_cast<Encoder*>(object);
        if (!gone->ended) {
            violation("an encoder was released before endEncoding");
        }
        release(gone->commands);
    };
    return autoreleased(made);
}

static bool open(Encoder* self, const char* what) {
    if (self->ended) {
        violation(std::string(what) + " after endEncoding");
    }
    return !self->ended;
}

static void set_pipeline(Encoder* self, Selector, Pipeline* pipeline) {
    if (open(self, "setComputePipelineState:")) {
        self->next.pipeline = pipeline;
        keep(self->commands, pipeline);
    }
}

static Binding* binding(Encoder* self, const char* what, uint64_t index) {
    if (!open(self, what)) {
        return nullptr;
    }
    if (index > INDEX_MAX) {
        violation(std::string(what) + " at index " + std::to_string(index));
        return nullptr;
    }
    if (self->next.bindings.size() <= index) {
        self->next.bindings.resize(index + 1);
    }
    return &self->next.bindings[index];
}

static void set_buffer(Encoder* self, Selector, Buffer* buffer, uint64_t offset, uint64_t index) {
    Binding* at = binding(self, "setBuffer:offset:atIndex:", index);
    if (!at) {
        return;
    }
    if (!buffer || offset >= buffer->length || offset % 4 != 0) {
        violation("setBuffer:offset:atIndex: with no buffer or a wrong offset " + std::to_string(offset));
        return;
    }
    keep(self->commands, buffer);
    *at = Binding{buffer, offset, {}};
}

static void set_bytes(Encoder* self, Selector, const void* bytes, uint64_t length, uint64_t index) {
    Binding* at = binding(self, "setBytes:length:atIndex:", index);
    if (!at) {
        return;
    }
    if (!bytes || length == 0 || length > BYTES_MAX) {
        violation("setBytes:length:atIndex: with " + std::to_string(length) + " bytes");
        return;
    }
    const uint8_t* from = static_cast<const uint8_t*>(bytes);
    *at = Binding{nullptr, 0, std::vector<uint8_t>(from, from + length)};
}

// Metal's compiler assumes that no other argument of a kernel reaches the memory that it writes.
static bool apart(const Work& work) {
    for (const Argument& written : work.pipeline->function->arguments) {
        for (const Argument& other : work.pipeline->function->arguments) {
            bool same = written.buffer && other.buffer && written.index != other.index
                && work.bindings[written.index].buffer == work.bindings[other.index].buffer;
            if (written.written && same) {
                violation("dispatch that writes argument " + std::to_string(written.index) + " of "
                          + work.pipeline->function->name + ", which is argument " + std::to_string(other.index) + ", too");
                return false;
            }
        }
    }
    return true;
}

static bool complete(const Work& work) {
    if (!work.pipeline) {
        violation("dispatch without a pipeline");
        return false;
    }
    for (const Argument& argument : work.pipeline->function->arguments) {
        bool there = size_t(argument.index) < work.bindings.size();
        const Binding* bound = there ? &work.bindings[argument.index] : nullptr;
        if (!bound || (argument.buffer ? !bound->buffer : bound->bytes.empty())) {
            violation("dispatch without argument " + std::to_string(argument.index) + " of "
                      + work.pipeline->function->name);
            return false;
        }
    }
    return apart(work);
}

static void dispatch(Encoder* self, Selector, Size groups, Size threads) {
    if (!open(self, "dispatch") || !complete(self->next)) {
        return;
    }
    uint64_t together = threads.width * threads.height * threads.depth;
    long limit = control("threads_max");
    if (together == 0 || together > uint64_t(limit ? limit : 1024) || groups.width * groups.height * groups.depth == 0) {
        violation("dispatch of " + std::to_string(groups.width) + " groups of " + std::to_string(together) + " threads");
        return;
    }
    if (threads.height != 1 || threads.depth != 1 || groups.height != 1 || groups.depth != 1) {
        violation("dispatch of more than one dimension for kernels of one");
        return;
    }
    count("dispatches");
    count("dispatches of " + self->next.pipeline->function->name);
    self->next.groups = groups;
    self->next.threads = threads;
    self->commands->work.push_back(self->next);
}

static void end_encoding(Encoder* self, Selector) {
    if (open(self, "endEncoding")) {
        self->ended = true;
        self->commands->open = nullptr;
    }
}

static void signal(Commands* self, Selector, Event* event, uint64_t value) {
    if (self->open || self->committed || value <= event->value) {
        violation("encodeSignalEvent:value: inside an encoder, after commit, or with an old value");
        return;
    }
    keep(self, event);
    self->event = event;
    self->value = value;
}

static void commit(Commands* self, Selector) {
    if (self->open || self->committed) {
        violation(self->open ? "commit before endEncoding" : "commit twice");
        return;
    }
    wait_while("stuck");
    self->committed = true;
    self->status = 2;
    count("commits");
    enqueue(self);
}

static uint64_t status(Commands* self, Selector) {
    return self->status;
}

static Object* error(Commands* self, Selector) {
    return self->status == 5 ? autoreleased(new_error("the stand-in failed as it was told", self->error)) : nullptr;
}

static bool wait(Event* self, Selector, uint64_t value, uint64_t millis) {
    return wait_for(self, value, millis);
}

void define_commands() {
    instance_method("FakeDevice", "newCommandQueue", "@16@0:8", (void*)new_queue);
    instance_method("FakeDevice", "newSharedEvent", "@16@0:8", (void*)new_event);
    instance_method("FakeQueue", "commandBuffer", "@16@0:8", (void*)command_buffer);
    instance_method("FakeCommands", "computeCommandEncoder", "@16@0:8", (void*)encoder);
    instance_method("FakeCommands", "encodeSignalEvent:value:", "v32@0:8@16Q24", (void*)signal);
    instance_method("FakeCommands", "commit", "v16@0:8", (void*)commit);
    instance_method("FakeCommands", "status", "Q16@0:8", (void*)status);
    instance_method("FakeCommands", "error", "@16@0:8", (void*)error);
    instance_method("FakeEncoder", "setComputePipelineState:", "v24@0:8@16", (void*)set_pipeline);
    instance_method("FakeEncoder", "setBuffer:offset:atIndex:", "v40@0:8@16Q24Q32", (void*)set_buffer);
    instance_method("FakeEncoder", "setBytes:length:atIndex:", "v40@0:8r^v16Q24Q32", (void*)set_bytes);
    instance_method(
        "FakeEncoder", "dispatchThreadgroups:threadsPerThreadgroup:", "v64@0:8{MTLSize=QQQ}16{MTLSize=QQQ}40", (void*)dispatch);
    instance_method("FakeEncoder", "endEncoding", "v16@0:8", (void*)end_encoding);
    instance_method("FakeEvent", "waitUntilSignaledValue:timeoutMS:", "B32@0:8Q16Q24", (void*)wait);
}
