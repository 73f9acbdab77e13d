// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchRPC
import Testing

/// One way to write calls.
struct CallStyle: Sendable, CustomTestStringConvertible {
    var style: RPCProtocol
    var codec: RPCCodec = .binary
    var compression: RPCCompression?

    var testDescription: String { "\(style), \(codec)\(compression.map { ", \($0.name)" } ?? "")" }

    static let all: [CallStyle] = RPCProtocol.allCases.flatMap { style in
        RPCCodec.allCases.flatMap { codec in
            [CallStyle(style: style, codec: codec), CallStyle(style: style, codec: codec, compression: .gzip)]
        }
    }

    static let plain: [CallStyle] = RPCProtocol.allCases.map { CallStyle(style: $0) }

    /// A channel that speaks so; of gRPC over HTTP/1.1 unless it is said otherwise, since our server knows no other.
    func channel(
        _ url: String, through handler: any Handler = Transport.live, interceptors: [any Interceptor] = [],
        limits: RPCLimits = .standard, http2: Bool = false
    ) throws -> RPCChannel {
        try RPCChannel(
            url, through: handler, interceptors: interceptors, using: style, codec: codec, compression: compression,
            limits: limits, assumingHTTP2: http2)
    }
}
