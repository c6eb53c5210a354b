// Classes, selectors and message sending.
#include "fake.h"
#include <set>

std::atomic<long> live_objects{0};

static std::map<std::string, Class*>& classes() {
    static std::map<std::string, Class*> all;
    return all;
}

static std::recursive_mutex runtime_lock;

Class* class_named(const std::string& name) {
    std::lock_guard<std::recursive_mutex> hold(runtime_lock);
    Class*& found = classes()[name];
    if (!found) {
        found = new Class();
        found->name = name;
        Class* meta = new Class();
        meta->name = name + " (class)";
        meta->isa = meta;
        found->isa = meta;
    }
    return found;
}

static Selector interned(const std::string& name) {
    std::lock_guard<std::recursive_mutex> hold(runtime_lock);
    static std::set<std::string> names;
    return names.insert(name).first->c_str();
}

void class_method(const std::string& type, const char* selector, const char* types, void* code) {
    class_named(type)->isa->methods[selector] = Method{selector, types, code};
}

void instance_method(const std::string& type, const char* selector, const char* types, void* code) {
    class_named(type)->methods[selector] = Method{selector, types, code};
}

static void define_all() {
    static std::once_flag once;
    std::call_once(once, [] {
        define_foundation();
        define_device();
        define_commands();
    });
}

static Method* method_of(Class* type, Selector selector) {
    std::lock_guard<std::recursive_mutex> hold(runtime_lock);
    std::string name = selector;
    if ((name == "setMathMode:" || name == "setMathFloatingPointFunctions:") && control("old")) {
        return nullptr;
    }
    auto found = type->methods.find(selector);
    return found == type->methods.end() ? nullptr : &found->second;
}

static long nothing() {
    return 0;
}

extern "C" void* fake_lookup(Object* receiver, Selector selector) {
    if (!receiver) {
        violation(std::string("message to nil: ") + selector);
        return reinterpret_cast<void*>(nothing);
    }
    if (receiver->dead) {
        violation(std::string("message to a released object: ") + receiver->isa->name + " " + selector);
        return reinterpret_cast<void*>(nothing);
    }
    if (selector != interned(selector)) {
        violation(std::string("selector not registered: ") + selector);
    }
    Method* method = method_of(receiver->isa, selector);
    if (!method) {
        violation("unrecognised selector: " + receiver->isa->name + " " + selector);
        return reinterpret_cast<void*>(nothing);
    }
    count("messages");
    return method->code;
}

extern "C" Class* objc_getClass(const char* name) {
    define_all();
    std::lock_guard<std::recursive_mutex> hold(runtime_lock);
    auto found = classes().find(name);
    return found == classes().end() ? nullptr : found->second;
}

extern "C" Selector sel_registerName(const char* name) {
    define_all();
    return interned(name);
}

extern "C" Class* object_getClass(Object* object) {
    return object ? object->isa : nullptr;
}

extern "C" Method* class_getInstanceMethod(Class* type, Selector selector) {
    return type ? method_of(type, selector) : nullptr;
}

extern "C" const char* method_getTypeEncoding(Method* method) {
    static std::string replaced;
    std::string rule = text_control("encoding");
    size_t at = rule.find(' ');
    if (at != std::string::npos && method->name == rule.substr(0, at)) {
        replaced = rule.substr(at + 1);
        return replaced.c_str();
    }
    return method->types.c_str();
}

extern "C" bool class_respondsToSelector(Class* type, Selector selector) {
    return type && method_of(type, selector);
}

// Saves the registers of arguments, looks up the method, restores them and jumps to it: arguments of any type pass unchanged.
#if defined(__x86_64__)
asm(R"(
.text
.globl objc_msgSend
.type objc_msgSend, @function
objc_msgSend:
    pushq %rbp
    movq %rsp, %rbp
    subq $192, %rsp
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movq %rax, 48(%rsp)
    movups %xmm0, 64(%rsp)
    movups %xmm1, 80(%rsp)
    movups %xmm2, 96(%rsp)
    movups %xmm3, 112(%rsp)
    movups %xmm4, 128(%rsp)
    movups %xmm5, 144(%rsp)
    movups %xmm6, 160(%rsp)
    movups %xmm7, 176(%rsp)
    call fake_lookup@PLT
    movq %rax, %r11
    movq 0(%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movq 48(%rsp), %rax
    movups 64(%rsp), %xmm0
    movups 80(%rsp), %xmm1
    movups 96(%rsp), %xmm2
    movups 112(%rsp), %xmm3
    movups 128(%rsp), %xmm4
    movups 144(%rsp), %xmm5
    movups 160(%rsp), %xmm6
    movups 176(%rsp), %xmm7
    leave
    jmp *%r11
.size objc_msgSend, .-objc_msgSend
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl objc_msgSend
.type objc_msgSend, %function
objc_msgSend:
    stp x29, x30, [sp, #-224]!
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    bl fake_lookup
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x29, x30, [sp], #224
    br x16
.size objc_msgSend, .-objc_msgSend
)");
#else
#error "the stand-in knows the calling conventions of x86-64 and aarch64"
#endif
