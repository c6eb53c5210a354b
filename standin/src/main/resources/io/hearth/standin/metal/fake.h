// A stand-in for the Objective-C runtime and Metal: the same symbols, the same calling convention, the rules of the real ones.
// A broken rule is recorded (fake_violations) and the process continues, so that a test can show the rule.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using Selector = const char*;

struct Class;

// The first word is the address of the class, as in every Objective-C object.
struct Object {
    Class* isa;
    std::atomic<long> references{1};
    std::atomic<bool> dead{false};
    void (*destroy)(Object*) = nullptr;
};

struct Method {
    std::string name;
    std::string types;
    void* code;
};

struct Class : Object {
    std::string name;
    std::map<std::string, Method> methods;
};

// runtime.cpp
Class* class_named(const std::string& name);
void class_method(const std::string& type, const char* selector, const char* types, void* code);
void instance_method(const std::string& type, const char* selector, const char* types, void* code);
template <typename T> T* make(const std::string& type) {
    T* object = new T();
    object->isa = class_named(type);
    extern std::atomic<long> live_objects;
    live_objects++;
    return object;
}

// memory.cpp
void retain(Object* object);
void release(Object* object);
Object* autoreleased(Object* object);
void violation(const std::string& what);

// controls.cpp
long control(const std::string& key);
std::string text_control(const std::string& key);
bool take_fault(const std::string& key);
void count(const std::string& key);

// foundation.cpp
Object* new_string(const std::string& text);
std::string string_of(Object* string);
Object* new_error(const std::string& text, long code);
bool safe_math(Object* options);

// compiler.cpp
struct Argument {
    int index;
    bool buffer;
    bool written;
};
using RunAll = void (*)(void* const*, uint32_t groups, uint32_t threads, int backward);
using RunLane = void (*)(void* const*, uint32_t group, uint32_t lane, uint32_t threads);
struct Function : Object {
    std::string name;
    std::vector<Argument> arguments;
    RunAll all = nullptr;
    RunLane lane = nullptr;
    bool barriers = false;
};
bool compile(const std::string& source, bool safe, std::map<std::string, Function>& functions, std::string& problem);

// fibers.cpp
void run_with_barriers(Function* function, void* const* arguments, uint32_t groups, uint32_t threads, bool backward);

// device.cpp
struct Buffer : Object {
    uint8_t* bytes;
    uint64_t length;
    uint64_t mapped;
};
struct Pipeline : Object {
    Function* function;
};
void check_canary(Buffer* buffer);
void define_runtime();
void define_foundation();
void define_device();
void define_commands();
