// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzDriver
import LatchHTTP

private let client = URL(string: "https://api.example.com/base/").map { Client(baseURL: $0) }

/// Joins bytes as a path to a base URL: what is accepted stays at the host and below the base.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPath(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: bytes(data, count), as: UTF8.self)
    guard let request = try? client?.request(path: text) else { return 0 }
    let split = try? HTTPOrigin.split(request.absoluteURL)
    hold(split?.origin.description == "https://api.example.com", "\(request.absoluteURL) is at the host")
    hold(split?.path == request.path, "\(request.absoluteURL) has the path of the request")
    let path = request.pathWithoutQuery
    hold(path == "/base" || path.hasPrefix("/base/"), "\(path) is below the base")
    let plain = path.removingPercentEncoding ?? String(path)
    hold(!plain.split(separator: "/").contains { $0 == "." || $0 == ".." }, "\(path) does not climb")
    hold(request.path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the target is printable ASCII")
    return 0
}

extension Client {
    fileprivate func request(path: String) throws(HTTPError) -> HTTPRequest { try request(.get, RoutePath(path)) }
}
