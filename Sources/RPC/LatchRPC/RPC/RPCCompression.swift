// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A compression algorithm for messages.
///
/// ```swift
/// let channel = try RPCChannel(url, compression: .gzip)
/// ```
public struct RPCCompression: Sendable {
    /// The name on the wire, such as `gzip`.
    public let name: String
    /// The function that compresses bytes.
    public let compress: @Sendable ([UInt8]) throws -> [UInt8]
    /// The function that decompresses bytes, up to a size limit for the result.
    public let decompress: @Sendable ([UInt8], Int) throws -> [UInt8]
    /// The minimum size in bytes of messages to compress; for smaller ones, compression takes more time than it saves.
    public var minimumMessageBytes = 512

    /// Creates a compression.
    ///
    /// - Parameters:
    ///   - name: The name on the wire, such as `gzip`.
    ///   - compress: A function that compresses bytes.
    ///   - decompress: A function that decompresses bytes. It throws `RPCError.resourceExhausted` as soon as the result
    ///     exceeds the limit in bytes, because a few bytes can expand to very many.
    public init(
        name: String, compress: @escaping @Sendable ([UInt8]) throws -> [UInt8],
        decompress: @escaping @Sendable (_ bytes: [UInt8], _ limit: Int) throws -> [UInt8]
    ) {
        self.name = name
        self.compress = compress
        self.decompress = decompress
    }

    /// The gzip compression (RFC 1952), which every peer supports.
    public static let gzip = RPCCompression(
        name: "gzip", compress: { try compressed($0) }, decompress: { try decompressed($0, limit: $1) })

    private static func compressed(_ bytes: [UInt8]) throws(RPCError) -> [UInt8] {
        do throws(Gzip.Failure) { return try Gzip.compress(bytes) } catch {
            throw RPCError(.internal, "A message could not be compressed: \(error).")
        }
    }

    private static func decompressed(_ bytes: [UInt8], limit: Int) throws(RPCError) -> [UInt8] {
        do throws(Gzip.Failure) { return try Gzip.decompress(bytes, limit: limit) } catch {
            throw switch error {
            case .outOfMemory: RPCError(.internal, "Out of memory while decompressing a message.")
            case .tooLarge: RPCError(.resourceExhausted, "A message exceeds the limit of \(limit) bytes.")
            case .damaged: RPCError(.invalidArgument, "A compressed message is damaged.")
            }
        }
    }
}
