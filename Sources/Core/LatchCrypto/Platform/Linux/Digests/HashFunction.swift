// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A cryptographic digest that is fed piece by piece.
public protocol HashFunction: Sendable {
    /// How many bytes a digest has.
    static var byteCount: Int { get }
    /// How many bytes are worked on at once; HMAC pads its keys to it.
    static var blockByteCount: Int { get }

    /// The digest of nothing, so far.
    init()

    /// Adds bytes to what is digested.
    ///
    /// An empty piece changes nothing, and how the input is cut into pieces does not matter.
    mutating func update(bufferPointer: UnsafeRawBufferPointer)

    /// Writes the digest of everything so far to `output`, which has room for ``byteCount`` bytes.
    ///
    /// Where it has less, nothing is written. The state stays as it was, so that more may be added.
    func finalize(into output: UnsafeMutableBufferPointer<UInt8>)
}

extension HashFunction {
    /// The digest of `data`.
    public static func hash(data: some Collection<UInt8>) -> Digest {
        var hash = Self()
        hash.update(data: data)
        return hash.finalize()
    }

    /// Adds bytes to what is digested.
    ///
    /// A collection that has its bytes in one place is read there; any other is copied first.
    public mutating func update(data: some Collection<UInt8>) {
        let fed: Void? = data.withContiguousStorageIfAvailable { update(bufferPointer: UnsafeRawBufferPointer($0)) }
        guard fed == nil else { return }
        Array(data).withUnsafeBytes { update(bufferPointer: $0) }
    }

    /// The digest of everything so far; more may be added afterwards for another one.
    public func finalize() -> Digest {
        Digest(
            bytes: [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
                finalize(into: buffer)
                count = Self.byteCount
            })
    }
}
#endif
