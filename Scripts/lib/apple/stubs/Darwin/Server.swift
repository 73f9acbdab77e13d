// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Sockets, threads and limits of Darwin where they differ from Glibc's, from their manual pages; kqueue(2) is in C.

@_exported public import DarwinKqueue

private func stub() -> Never { fatalError() }

public var SOCK_STREAM: Int32 { 1 }
public var SOCK_DGRAM: Int32 { 2 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
public var MSG_PEEK: Int32 { 0x2 }
public var MSG_DONTWAIT: Int32 { 0x80 }
public var SHUT_WR: Int32 { 1 }
public var IPPROTO_TCP: Int32 { 6 }
public var TCP_KEEPALIVE: Int32 { 0x10 }
public var RLIMIT_NOFILE: Int32 { 8 }
public var OPEN_MAX: Int32 { 10240 }
@discardableResult public func getrlimit(_ resource: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 { stub() }
@discardableResult public func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { stub() }

public struct pthread_attr_t {}
@discardableResult public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 { stub() }
@discardableResult public func pthread_detach(_ thread: pthread_t) -> Int32 { stub() }
@discardableResult public func pthread_setname_np(_ name: UnsafePointer<CChar>!) -> Int32 { stub() }

public var RTLD_NOW: Int32 { 0x2 }
public var RTLD_LOCAL: Int32 { 0x4 }
public var SO_LINGER: Int32 { 0x80 }
public var SHUT_RDWR: Int32 { 2 }
public struct timeval {
    public var tv_sec: Int
    public var tv_usec: Int32
    public init() { stub() }
    public init(tv_sec: Int, tv_usec: Int32) { stub() }
}
