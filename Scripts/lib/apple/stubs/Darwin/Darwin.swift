// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The C library of Apple's systems, where it differs from that of Linux; the rest comes from there, also what Apple's
// systems do not have: such a use is not found. Source: the manual pages, sections 2 and 3.
@_exported public import Glibc

private func stub() -> Never { fatalError() }

public var O_EVTONLY: Int32 { 0x8000 }
public var F_FULLFSYNC: Int32 { 51 }
public var F_BARRIERFSYNC: Int32 { 85 }
public func timingsafe_bcmp(_ b1: UnsafeRawPointer!, _ b2: UnsafeRawPointer!, _ len: Int) -> Int32 { stub() }
@discardableResult public func memset_s(_ s: UnsafeMutableRawPointer!, _ smax: Int, _ c: Int32, _ n: Int) -> Int32 { stub() }
public func arc4random_buf(_ buf: UnsafeMutableRawPointer!, _ nbytes: Int) {}
public func confstr(_ name: Int32, _ buf: UnsafeMutablePointer<CChar>!, _ len: Int) -> Int { stub() }
public var _CS_DARWIN_USER_TEMP_DIR: Int32 { 65537 }
@discardableResult public func pipe(_ ends: UnsafeMutablePointer<Int32>!) -> Int32 { stub() }

// Threads and signals: a thread is an optional pointer, a set of signals a number.
public struct _opaque_pthread_t { var x = 0 }
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public func pthread_self() -> pthread_t { stub() }
@discardableResult public func pthread_kill(_ t: pthread_t, _ n: Int32) -> Int32 { stub() }
public typealias sigset_t = UInt32
@discardableResult public func sigemptyset(_ s: UnsafeMutablePointer<sigset_t>!) -> Int32 { stub() }
@discardableResult public func sigaddset(_ s: UnsafeMutablePointer<sigset_t>!, _ n: Int32) -> Int32 { stub() }
@discardableResult public func sigwait(_ s: UnsafePointer<sigset_t>!, _ n: UnsafeMutablePointer<Int32>!) -> Int32 { stub() }
@discardableResult public func pthread_sigmask(_ how: Int32, _ s: UnsafePointer<sigset_t>!, _ o: UnsafeMutablePointer<sigset_t>!) -> Int32 { stub() }

// Processes: the types are pointers. tvOS and watchOS have no posix_spawn, and macOS alone can set a child's folder.
public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
public var POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 { 0x4000 }
public var POSIX_SPAWN_SETSIGDEF: Int32 { 4 }
public var POSIX_SPAWN_SETSIGMASK: Int32 { 8 }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@discardableResult public func posix_spawn(_ pid: UnsafeMutablePointer<pid_t>!, _ path: UnsafePointer<CChar>!, _ actions: UnsafePointer<posix_spawn_file_actions_t?>!, _ attr: UnsafePointer<posix_spawnattr_t?>!, _ argv: UnsafePointer<UnsafeMutablePointer<CChar>?>!, _ envp: UnsafePointer<UnsafeMutablePointer<CChar>?>!) -> Int32 { stub() }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@discardableResult public func posix_spawn_file_actions_init(_ a: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 { stub() }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@discardableResult public func posix_spawn_file_actions_destroy(_ a: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 { stub() }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@discardableResult public func posix_spawn_file_actions_addopen(_ a: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ fd: Int32, _ path: UnsafePointer<CChar>!, _ oflag: Int32, _ mode: UInt16) -> Int32 { stub() }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@discardableResult public func posix_spawn_file_actions_adddup2(_ a: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ fd: Int32, _ new: Int32) -> Int32 { stub() }
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
@discardableResult public func posix_spawn_file_actions_addchdir_np(_ a: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ path: UnsafePointer<CChar>!) -> Int32 { stub() }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@discardableResult public func posix_spawnattr_init(_ a: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { stub() }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@discardableResult public func posix_spawnattr_destroy(_ a: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { stub() }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@discardableResult public func posix_spawnattr_setsigmask(_ a: UnsafeMutablePointer<posix_spawnattr_t?>!, _ s: UnsafePointer<sigset_t>!) -> Int32 { stub() }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@discardableResult public func posix_spawnattr_setsigdefault(_ a: UnsafeMutablePointer<posix_spawnattr_t?>!, _ s: UnsafePointer<sigset_t>!) -> Int32 { stub() }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@discardableResult public func posix_spawnattr_setflags(_ a: UnsafeMutablePointer<posix_spawnattr_t?>!, _ f: Int16) -> Int32 { stub() }
