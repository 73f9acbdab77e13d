// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzDriver
import LatchHTTP

private let client = URL(string: "https://api.example.com/base/").map { Client(baseURL: $0) }

/// Joins bytes as a path to a base URL: what is accepted stays at the host and below the base.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPath(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: bytes(data, count), as: UTF8.self)
    if let request = try? client?.request(.get, RoutePath(text)) { holdBelow(request) }
    if let request = try? client?.request(.get, "users/\(text)/notes?next=\(text)") {
        holdBelow(request)
        holdSegment(request, text)
    }
    return 0
}

private func holdBelow(_ request: HTTPRequest) {
    let split = try? HTTPOrigin.split(request.absoluteURL)
    hold(split?.origin.description == "https://api.example.com", "\(request.absoluteURL) is at the host")
    hold(split?.path == request.path, "\(request.absoluteURL) has the path of the request")
    let path = request.pathWithoutQuery
    hold(path == "/base" || path.hasPrefix("/base/"), "\(path) is below the base")
    let plain = path.removingPercentEncoding ?? String(path)
    hold(!plain.contains("\\") && !plain.contains("\0"), "\(path) holds nothing that others take for a border")
    let segments = plain.split(separator: "/").map { $0.prefix { $0 != ";" } }
    hold(!segments.contains { $0 == "." || $0 == ".." }, "\(path) does not climb")
    hold(request.path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the target is printable ASCII")
}

/// What is put into a path is one segment of it, and in the query one value.
private func holdSegment(_ request: HTTPRequest, _ text: String) {
    let segments = request.pathWithoutQuery.split(separator: "/", omittingEmptySubsequences: false)
    hold(segments.count == 5 && segments[4] == "notes", "\(request.path) has as many segments as were written")
    hold(segments.count > 3 && segments[3].removingPercentEncoding == text, "\(request.path) holds the value")
    hold(request.query?.dropFirst(5).removingPercentEncoding == text, "\(request.path) holds the value in its query")
}
