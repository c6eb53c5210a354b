// The thread that acts as the GPU: it runs one command buffer after the other, with subnormals flushed or kept.
#include "commands.h"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <thread>

void wait_while(const std::string& key);

// The mode of the processor's float arithmetic, and its bits that flush results and operands.
#if defined(__x86_64__)
#include <immintrin.h>
using Mode = unsigned;
static constexpr Mode FLUSH = 0x8040;
static Mode float_mode() {
    return _mm_getcsr();
}
static void set_float_mode(Mode mode) {
    _mm_setcsr(mode);
}
#else
using Mode = uint64_t;
static constexpr Mode FLUSH = 1u << 24;
static Mode float_mode() {
    Mode mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}
static void set_float_mode(Mode mode) {
    asm volatile("msr fpcr, %0" : : "r"(mode));
}
#endif

// Never destroyed: the thread waits on them while the process ends.
static std::mutex& lock = *new std::mutex();
static std::condition_variable& changed = *new std::condition_variable();
static std::deque<Commands*>& pending = *new std::deque<Commands*>();
static std::atomic<long> unfinished; // command buffers that the GPU still holds

// -fsanitize=bounds calls this function where a kernel leaves an array of its threadgroup.
extern "C" void __ubsan_handle_out_of_bounds(void*, void* index) {
    violation("a kernel leaves an array of its threadgroup at index " + std::to_string((uintptr_t)index));
}

static void run(const Work& work, bool half) {
    std::vector<void*> arguments;
    std::vector<std::vector<uint8_t>> constants;
    constants.reserve(work.bindings.size());
    for (const Binding& binding : work.bindings) {
        if (binding.buffer) {
            arguments.push_back(binding.buffer->bytes + binding.offset);
        } else {
            constants.push_back(binding.bytes);
            arguments.push_back(constants.back().data());
        }
    }
    uint32_t groups = half ? work.groups.width / 2 : work.groups.width;
    Function* function = work.pipeline->function;
    bool backward = control("backward");
    Mode mode = float_mode();
    set_float_mode(control("flush") ? mode | FLUSH : mode & ~FLUSH);
    if (function->barriers) {
        run_with_barriers(function, arguments.data(), groups, work.threads.width, backward);
    } else {
        function->all(arguments.data(), groups, work.threads.width, backward);
    }
    set_float_mode(mode);
    for (const Binding& binding : work.bindings) {
        if (binding.buffer) {
            if (binding.buffer->dead) {
                violation("the GPU used a buffer that was released");
            } else {
                check_canary(binding.buffer);
            }
        }
    }
}

static void finish(Commands* commands) {
    commands->status = 3;
    if (take_fault("hang")) {
        wait_while("hanging");
    }
    bool fails = take_fault("command_fails");
    for (const Work& work : commands->work) {
        run(work, fails);
    }
    if (fails) {
        commands->error = control("error_code");
        commands->status = 5;
        return;
    }
    if (commands->event) {
        std::lock_guard<std::mutex> hold(lock);
        commands->event->value = commands->value;
        changed.notify_all();
    }
    wait_while("late_status");
    commands->status = 4;
}

static void serve() {
    for (;;) {
        Commands* next;
        {
            std::unique_lock<std::mutex> hold(lock);
            changed.wait(hold, [] { return !pending.empty(); });
            next = pending.front();
            pending.pop_front();
        }
        finish(next);
        release(next);
        count("finished");
        unfinished--;
    }
}

void enqueue(Commands* commands) {
    static std::once_flag once;
    std::call_once(once, [] { std::thread(serve).detach(); });
    retain(commands);
    unfinished++;
    std::lock_guard<std::mutex> hold(lock);
    pending.push_back(commands);
    changed.notify_all();
}

// Waits until the GPU has released the command buffers that it ran, which may be after a caller saw their status. Does not wait for a
// GPU that hangs.
void await_idle() {
    while (unfinished > 0 && !control("hanging") && !control("late_status")) {
        std::this_thread::yield();
    }
}

bool wait_for(Event* event, uint64_t value, uint64_t millis) {
    std::unique_lock<std::mutex> hold(lock);
    return changed.wait_for(hold, std::chrono::milliseconds(millis), [&] { return event->value >= value; });
}
