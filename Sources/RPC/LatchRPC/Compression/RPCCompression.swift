// SPDX-License-Identifier: Apache-2.0

/// A way to make messages smaller on the wire.
///
/// ```swift
/// let channel = try RPCChannel(url, compression: .gzip)
/// ```
public struct RPCCompression: Sendable {
    /// The name by which both sides call it, such as `gzip`.
    public let name: String
    /// Makes bytes smaller.
    public let compress: @Sendable ([UInt8]) throws -> [UInt8]
    /// Takes the compression off, and refuses what would become larger than the limit.
    public let decompress: @Sendable ([UInt8], Int) throws -> [UInt8]
    /// How many bytes a message must have for its compression to be worth the time; smaller ones go as they are.
    public var smallestMessage = 512

    /// A compression that both sides know by a name.
    ///
    /// - Parameters:
    ///   - compress: Makes bytes smaller.
    ///   - decompress: Undoes it; throws `RPCError.resourceExhausted` as soon as there is more than the given number of
    ///     bytes, since a few bytes can stand for very many.
    public init(
        name: String, compress: @escaping @Sendable ([UInt8]) throws -> [UInt8],
        decompress: @escaping @Sendable (_ bytes: [UInt8], _ limit: Int) throws -> [UInt8]
    ) {
        self.name = name
        self.compress = compress
        self.decompress = decompress
    }

    /// RFC 1952, which every peer knows.
    public static let gzip = RPCCompression(
        name: "gzip", compress: { try Gzip.compress($0) }, decompress: { try Gzip.decompress($0, limit: $1) })
}
