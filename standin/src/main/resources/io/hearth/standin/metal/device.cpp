// The GPU as an object, with its buffers and its compiled kernels.
#include "fake.h"
#include <cstring>
#include <sys/mman.h>

static constexpr uint64_t PAGE = 16384;
static constexpr uint8_t CANARY = 0xA5;
static constexpr uint64_t BUFFER_MAX = 1ull << 30;

struct Library : Object {
    std::map<std::string, Function> functions;
};
struct Array : Object {
    std::vector<Object*> items;
};

static Object* device() {
    Object* made = make<Object>("FakeDevice");
    return made;
}

extern "C" Object* MTLCreateSystemDefaultDevice() {
    return control("no_default_device") ? nullptr : device();
}

extern "C" Object* MTLCopyAllDevices() {
    Array* array = make<Array>("FakeArray");
    if (!control("no_devices")) {
        array->items.push_back(device());
    }
    array->destroy = [](Object* self) {
        for (Object* item : static_cast<Array*>(self)->items) {
            release(item);
        }
    };
    return array;
}

static uint64_t array_count(Array* self, Selector) {
    return self->items.size();
}

static Object* object_at(Array* self, Selector, uint64_t index) {
    if (index >= self->items.size()) {
        violation("objectAtIndex: beyond the end");
        return nullptr;
    }
    return self->items[index];
}

static Object* name(Object*, Selector) {
    return autoreleased(new_string("Stand-in GPU"));
}

static uint64_t buffer_max(Object*, Selector) {
    return BUFFER_MAX;
}

void check_canary(Buffer* buffer) {
    for (uint64_t i = buffer->length; i < buffer->mapped; i++) {
        if (buffer->bytes[i] != CANARY) {
            violation("bytes behind the end of a buffer of " + std::to_string(buffer->length) + " were written");
            return;
        }
    }
}

static Object* new_buffer(Object*, Selector, uint64_t length, uint64_t options) {
    if (options != 0) {
        violation("a buffer that is not shared");
    }
    if (length == 0 || length > BUFFER_MAX) {
        violation("newBufferWithLength: with a length that the device refuses");
        return nullptr;
    }
    if (take_fault("no_buffer")) {
        return nullptr;
    }
    Buffer* buffer = make<Buffer>("FakeBuffer");
    buffer->length = length;
    buffer->mapped = (length + PAGE) / PAGE * PAGE + PAGE;
    void* at = mmap(nullptr, buffer->mapped + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    buffer->bytes = reinterpret_cast<uint8_t*>((reinterpret_cast<uint64_t>(at) + PAGE - 1) / PAGE * PAGE);
    memset(buffer->bytes + length, CANARY, buffer->mapped - length);
    buffer->destroy = [](Object* self) {
        Buffer* gone = static_cast<Buffer*>(self);
        check_canary(gone);
        madvise(gone->bytes, gone->mapped, MADV_DONTNEED); // the addresses stay taken
    };
    count("buffers");
    return buffer;
}

static void* contents(Buffer* self, Selector) {
    return self->bytes;
}

static Object* new_library(Object*, Selector, Object* source, Object* options, Object** error) {
    Library* library = make<Library>("FakeLibrary");
    std::string problem;
    if (take_fault("no_library") || !compile(string_of(source), safe_math(options), library->functions, problem)) {
        *error = autoreleased(new_error("program_source: " + (problem.empty() ? "compiler not available" : problem), 3));
        release(library);
        return nullptr;
    }
    return library;
}

static Object* new_function(Library* self, Selector, Object* name) {
    auto found = self->functions.find(string_of(name));
    if (found == self->functions.end()) {
        return nullptr;
    }
    Function* function = make<Function>("FakeFunction");
    function->name = found->second.name;
    function->arguments = found->second.arguments;
    function->all = found->second.all;
    function->lane = found->second.lane;
    function->barriers = found->second.barriers;
    return function;
}

static Object* new_pipeline(Object*, Selector, Function* function, Object** error) {
    if (take_fault("no_pipeline")) {
        *error = autoreleased(new_error("too many registers", 2));
        return nullptr;
    }
    Pipeline* pipeline = make<Pipeline>("FakePipeline");
    retain(function);
    pipeline->function = function;
    pipeline->destroy = [](Object* self) { release(static_cast<Pipeline*>(self)->function); };
    return pipeline;
}

static uint64_t threads_max(Object*, Selector) {
    long limit = control("threads_max");
    return limit ? limit : 1024;
}

void define_device() {
    instance_method("FakeArray", "count", "Q16@0:8", (void*)array_count);
    instance_method("FakeArray", "objectAtIndex:", "@24@0:8Q16", (void*)object_at);
    instance_method("FakeDevice", "name", "@16@0:8", (void*)name);
    instance_method("FakeDevice", "maxBufferLength", "Q16@0:8", (void*)buffer_max);
    instance_method("FakeDevice", "newBufferWithLength:options:", "@32@0:8Q16Q24", (void*)new_buffer);
    instance_method("FakeDevice", "newLibraryWithSource:options:error:", "@40@0:8@16@24o^@32", (void*)new_library);
    instance_method("FakeDevice", "newComputePipelineStateWithFunction:error:", "@32@0:8@16^@24", (void*)new_pipeline);
    instance_method("FakeBuffer", "contents", "^v16@0:8", (void*)contents);
    instance_method("FakeLibrary", "newFunctionWithName:", "@24@0:8@16", (void*)new_function);
    instance_method("FakePipeline", "maxTotalThreadsPerThreadgroup", "Q16@0:8", (void*)threads_max);
}
