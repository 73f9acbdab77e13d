// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP

/// Splits bytes as a URL: what is accepted has a host and a path, and splits the same way when it is written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOrigin(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: bytes(data, count), as: UTF8.self)
    guard let (origin, path) = try? HTTPOrigin.split(text) else { return 0 }
    hold(path.hasPrefix("/"), "the path begins with a slash")
    hold(!origin.host.isEmpty && !origin.host.contains { "/?#@".contains($0) }, "the host is only a host")
    hold((0...65535).contains(origin.port), "the port is one: \(origin.port)")
    let again = try? HTTPOrigin.split("\(origin)\(path)")
    hold(again?.origin == origin && again?.path == path, "\(origin)\(path) splits the same way")
    return 0
}
