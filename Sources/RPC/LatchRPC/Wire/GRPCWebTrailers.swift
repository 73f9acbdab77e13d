// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The trailers in the last frame of gRPC-Web, in the syntax of HTTP/1.1 fields (gRPC-Web, "Protocol differences").
enum GRPCWebTrailers {
    /// Encodes trailers as the content of the frame.
    static func bytes(_ fields: HTTPFields) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in fields { bytes.append(contentsOf: "\(line.name.canonicalName): \(line.value)\r\n".utf8) }
        return bytes
    }

    /// Parses the content of the frame; malformed lines are ignored.
    static func fields(_ content: [UInt8]) -> HTTPFields {
        var fields = HTTPFields()
        for line in content.split(separator: 0x0A) {
            guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { continue }
            let name = line[..<colon]
            guard name.allSatisfy(isTokenByte) else { continue }
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }.map { $0 + 1 } ?? value.startIndex
            fields.append(
                String(decoding: value[value.startIndex..<end], as: UTF8.self),
                for: HTTPFieldName(String(decoding: name, as: UTF8.self)))
        }
        return fields
    }
}
