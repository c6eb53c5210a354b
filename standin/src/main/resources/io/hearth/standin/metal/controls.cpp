// The controls that a test sets and reads: faults, modes of the GPU, broken rules.
#include "fake.h"
#include <condition_variable>

extern std::atomic<long> live_objects;

void await_idle();

// Never destroyed: other threads use them while the process ends.
static std::mutex& lock = *new std::mutex();
static std::condition_variable& changed = *new std::condition_variable();
static std::map<std::string, long>& numbers = *new std::map<std::string, long>();
static std::map<std::string, std::string>& texts = *new std::map<std::string, std::string>();
static std::string& violations = *new std::string();

void violation(const std::string& what) {
    std::lock_guard<std::mutex> hold(lock);
    if (violations.size() < 4000) {
        violations += what + "\n";
    }
}

long control(const std::string& key) {
    std::lock_guard<std::mutex> hold(lock);
    auto found = numbers.find(key);
    return found == numbers.end() ? 0 : found->second;
}

std::string text_control(const std::string& key) {
    std::lock_guard<std::mutex> hold(lock);
    return texts[key];
}

void count(const std::string& key) {
    std::lock_guard<std::mutex> hold(lock);
    numbers[key]++;
}

// A fault set to n skips n - 1 chances and happens once, at the next one; -1 happens always.
bool take_fault(const std::string& key) {
    std::lock_guard<std::mutex> hold(lock);
    long& left = numbers[key];
    bool now = left == 1;
    if (left > 0) {
        left--;
    }
    return now || left < 0;
}

// Blocks the calling thread while the control is set.
void wait_while(const std::string& key) {
    std::unique_lock<std::mutex> hold(lock);
    changed.wait(hold, [&] { return numbers[key] == 0; });
}

extern "C" void fake_set(const char* key, long value) {
    std::lock_guard<std::mutex> hold(lock);
    numbers[key] = value;
    changed.notify_all();
}

extern "C" void fake_text(const char* key, const char* value) {
    std::lock_guard<std::mutex> hold(lock);
    texts[key] = value;
}

extern "C" long fake_get(const char* key) {
    if (std::string(key) == "live") {
        await_idle();
        return live_objects.load();
    }
    return control(key);
}

extern "C" const char* fake_violations() {
    static std::string copy;
    std::lock_guard<std::mutex> hold(lock);
    copy = violations;
    return copy.c_str();
}

// Clears faults, modes, counts and broken rules; paths stay. What the GPU still runs ends first, so that it counts nothing later.
extern "C" void fake_reset() {
    {
        std::lock_guard<std::mutex> hold(lock);
        numbers.clear();
        changed.notify_all();
    }
    await_idle();
    std::lock_guard<std::mutex> hold(lock);
    numbers.clear();
    texts.erase("encoding");
    violations.clear();
}
