// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchFoundation
import LatchHTTP

/// Reads bytes as a Link field: what is accepted leads, if anywhere, to a URL that can be requested, and reads back from
/// its parts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLink(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let request = HTTPRequest(authority: "api.example.com", path: "/v1/notes?page=1")
    guard let field = try? LinkField([String(decoding: bytes(data, count), as: UTF8.self)]) else { return 0 }
    var line = ""
    for link in field.links {
        for relation in link.relations where link.anchor == nil {
            hold(field[relation] != nil, "a link is found by its relation")
        }
        if let url = link.url(relativeTo: request) {
            hold(HTTPOrigin(url) != nil, "\(url) can be requested")
        }
        line += "<\(link.target)>"
        for parameter in link.parameters {
            let quoted = parameter.value.utf8.flatMap { $0 == 0x22 || $0 == 0x5C ? [0x5C, $0] : [$0] }
            line += "; \(parameter.name)=\"\(String(decoding: quoted, as: UTF8.self))\""
        }
        line += ", "
    }
    hold((try? LinkField([line])) == field, "the links read back from \(line)")
    return 0
}
