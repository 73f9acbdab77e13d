// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// CryptoKit. Source: https://developer.apple.com/documentation/cryptokit.
public import FoundationEssentials
private func stub() -> Never { fatalError() }
public enum CryptoKitError: Error { case incorrectKeySize, incorrectParameterSize, authenticationFailure, underlyingCoreCryptoError(error: Int32) }
public protocol Digest: Hashable, Sendable, ContiguousBytes, CustomStringConvertible, Sequence where Element == UInt8 { static var byteCount: Int { get } }
extension Digest {
    public func makeIterator() -> Array<UInt8>.Iterator { stub() }
    public var description: String { stub() }
    public static func == <D: DataProtocol>(lhs: Self, rhs: D) -> Bool { stub() }
}
public struct SHA256Digest: Digest { public static var byteCount: Int { 32 }; public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() } }
public struct SHA384Digest: Digest { public static var byteCount: Int { 48 }; public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() } }
public struct SHA512Digest: Digest { public static var byteCount: Int { 64 }; public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() } }
public protocol HashFunction: Sendable {
    static var blockByteCount: Int { get }
    associatedtype Digest: CryptoKit.Digest
    static var byteCount: Int { get }
    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}
extension HashFunction {
    public static func hash<D: DataProtocol>(data: D) -> Self.Digest { stub() }
    public mutating func update<D: DataProtocol>(data: D) {}
}
public struct SHA256: HashFunction { public typealias Digest = SHA256Digest; public static var blockByteCount: Int { 64 }; public static var byteCount: Int { 32 }; public init() {}; public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}; public func finalize() -> SHA256Digest { stub() } }
public struct SHA384: HashFunction { public typealias Digest = SHA384Digest; public static var blockByteCount: Int { 128 }; public static var byteCount: Int { 48 }; public init() {}; public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}; public func finalize() -> SHA384Digest { stub() } }
public struct SHA512: HashFunction { public typealias Digest = SHA512Digest; public static var blockByteCount: Int { 128 }; public static var byteCount: Int { 64 }; public init() {}; public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}; public func finalize() -> SHA512Digest { stub() } }
public enum Insecure {
    public struct MD5Digest: CryptoKit.Digest { public static var byteCount: Int { 16 }; public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() } }
    public struct MD5: HashFunction { public typealias Digest = MD5Digest; public static var blockByteCount: Int { 64 }; public static var byteCount: Int { 16 }; public init() {}; public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}; public func finalize() -> MD5Digest { stub() } }
    public struct SHA1Digest: CryptoKit.Digest { public static var byteCount: Int { 20 }; public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() } }
    public struct SHA1: HashFunction { public typealias Digest = SHA1Digest; public static var blockByteCount: Int { 64 }; public static var byteCount: Int { 20 }; public init() {}; public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}; public func finalize() -> SHA1Digest { stub() } }
}
public struct SymmetricKeySize: Sendable { public let bitCount: Int; public static var bits128: Self { stub() }; public static var bits192: Self { stub() }; public static var bits256: Self { stub() }; public init(bitCount: Int) { stub() } }
public struct SymmetricKey: ContiguousBytes, Sendable, Equatable {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() }
    public init<D: ContiguousBytes>(data: D) { stub() }
    public init(size: SymmetricKeySize) { stub() }
    public var bitCount: Int { stub() }
}
public protocol MessageAuthenticationCode: Hashable, ContiguousBytes, CustomStringConvertible, Sequence, Sendable where Element == UInt8 { var byteCount: Int { get } }
extension MessageAuthenticationCode {
    public func makeIterator() -> Array<UInt8>.Iterator { stub() }
    public var description: String { stub() }
    public static func == <D: DataProtocol>(lhs: Self, rhs: D) -> Bool { stub() }
}
public struct HashedAuthenticationCode<H: HashFunction>: MessageAuthenticationCode {
    public var byteCount: Int { stub() }
    public static func == (l: Self, r: Self) -> Bool { stub() }
    public func hash(into hasher: inout Hasher) {}
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() }
}
public struct HMAC<H: HashFunction>: Sendable {
    public typealias Key = SymmetricKey
    public typealias MAC = HashedAuthenticationCode<H>
    public init(key: SymmetricKey) { stub() }
    public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC { stub() }
    public static func isValidAuthenticationCode<D: DataProtocol>(_ authenticationCode: MAC, authenticating authenticatedData: D, using key: SymmetricKey) -> Bool { stub() }
    public static func isValidAuthenticationCode<C: ContiguousBytes, D: DataProtocol>(_ authenticationCode: C, authenticating authenticatedData: D, using key: SymmetricKey) -> Bool { stub() }
    public mutating func update<D: DataProtocol>(data: D) {}
    public func finalize() -> MAC { stub() }
}
public struct HKDF<H: HashFunction>: Sendable {
    public static func deriveKey<Salt: DataProtocol, Info: DataProtocol>(inputKeyMaterial: SymmetricKey, salt: Salt, info: Info, outputByteCount: Int) -> SymmetricKey { stub() }
    public static func deriveKey<Info: DataProtocol>(inputKeyMaterial: SymmetricKey, info: Info, outputByteCount: Int) -> SymmetricKey { stub() }
    public static func extract<Salt: DataProtocol>(inputKeyMaterial: SymmetricKey, salt: Salt?) -> HashedAuthenticationCode<H> { stub() }
    public static func expand<PRK: ContiguousBytes, Info: DataProtocol>(pseudoRandomKey: PRK, info: Info?, outputByteCount: Int) -> SymmetricKey { stub() }
}
public enum AES {
    public enum GCM: Sendable {
        public struct Nonce: ContiguousBytes, Sequence, Sendable { public init() {}; public init<D: DataProtocol>(data: D) throws { stub() }; public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() }; public func makeIterator() -> Array<UInt8>.Iterator { stub() } }
        public struct SealedBox: Sendable {
            public var tag: Data { stub() }
            public var ciphertext: Data { stub() }
            public var nonce: Nonce { stub() }
            public var combined: Data? { stub() }
            public init<D: DataProtocol>(combined: D) throws { stub() }
            public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws { stub() }
        }
        public static func seal<P: DataProtocol, A: DataProtocol>(_ message: P, using key: SymmetricKey, nonce: Nonce? = nil, authenticating authenticatedData: A) throws -> SealedBox { stub() }
        public static func seal<P: DataProtocol>(_ message: P, using key: SymmetricKey, nonce: Nonce? = nil) throws -> SealedBox { stub() }
        public static func open<A: DataProtocol>(_ box: SealedBox, using key: SymmetricKey, authenticating authenticatedData: A) throws -> Data { stub() }
        public static func open(_ box: SealedBox, using key: SymmetricKey) throws -> Data { stub() }
    }
    public enum KeyWrap: Sendable {
        public static func wrap(_ keyToWrap: SymmetricKey, using kek: SymmetricKey) throws -> Data { stub() }
        public static func unwrap<WrappedKey: DataProtocol>(_ wrappedKey: WrappedKey, using kek: SymmetricKey) throws -> SymmetricKey { stub() }
    }
}
public struct SharedSecret: ContiguousBytes, Hashable, Sendable, CustomStringConvertible {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() }
    public func x963DerivedSymmetricKey<H: HashFunction, SI: DataProtocol>(using hashFunction: H.Type, sharedInfo: SI, outputByteCount: Int) -> SymmetricKey { stub() }
    public func hkdfDerivedSymmetricKey<H: HashFunction, Salt: DataProtocol, SI: DataProtocol>(using hashFunction: H.Type, salt: Salt, sharedInfo: SI, outputByteCount: Int) -> SymmetricKey { stub() }
    public static func == (l: Self, r: Self) -> Bool { stub() }
    public func hash(into hasher: inout Hasher) {}
    public var description: String { stub() }
}
public enum P256: Sendable {
    public enum KeyAgreement: Sendable {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public init<D: ContiguousBytes>(x963Representation: D) throws { stub() }
            public var rawRepresentation: Data { stub() }
            public var x963Representation: Data { stub() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { stub() }
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public var publicKey: PublicKey { stub() }
            public var rawRepresentation: Data { stub() }
            public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret { stub() }
        }
    }
    public enum Signing: Sendable {
        public struct ECDSASignature: ContiguousBytes, Sendable {
            public var rawRepresentation: Data { stub() }
            public var derRepresentation: Data { stub() }
            public init<D: DataProtocol>(rawRepresentation: D) throws { stub() }
            public init<D: DataProtocol>(derRepresentation: D) throws { stub() }
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() }
        }
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public init<D: ContiguousBytes>(x963Representation: D) throws { stub() }
            public init(pemRepresentation: String) throws { stub() }
            public init<B: RandomAccessCollection>(derRepresentation: B) throws where B.Element == UInt8 { stub() }
            public var rawRepresentation: Data { stub() }
            public var x963Representation: Data { stub() }
            public var derRepresentation: Data { stub() }
            public var pemRepresentation: String { stub() }
            public func isValidSignature<D: CryptoKit.Digest>(_ signature: ECDSASignature, for digest: D) -> Bool { stub() }
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { stub() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { stub() }
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public init<D: ContiguousBytes>(x963Representation: D) throws { stub() }
            public init(pemRepresentation: String) throws { stub() }
            public init<B: RandomAccessCollection>(derRepresentation: B) throws where B.Element == UInt8 { stub() }
            public var publicKey: PublicKey { stub() }
            public var rawRepresentation: Data { stub() }
            public var x963Representation: Data { stub() }
            public var derRepresentation: Data { stub() }
            public var pemRepresentation: String { stub() }
            public func signature<D: CryptoKit.Digest>(for digest: D) throws -> ECDSASignature { stub() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { stub() }
        }
    }
}
public enum P384: Sendable {
    public enum KeyAgreement: Sendable {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public init<D: ContiguousBytes>(x963Representation: D) throws { stub() }
            public var rawRepresentation: Data { stub() }
            public var x963Representation: Data { stub() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { stub() }
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public var publicKey: PublicKey { stub() }
            public var rawRepresentation: Data { stub() }
            public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret { stub() }
        }
    }
    public enum Signing: Sendable {
        public struct ECDSASignature: ContiguousBytes, Sendable {
            public var rawRepresentation: Data { stub() }
            public var derRepresentation: Data { stub() }
            public init<D: DataProtocol>(rawRepresentation: D) throws { stub() }
            public init<D: DataProtocol>(derRepresentation: D) throws { stub() }
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() }
        }
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public init<D: ContiguousBytes>(x963Representation: D) throws { stub() }
            public init(pemRepresentation: String) throws { stub() }
            public init<B: RandomAccessCollection>(derRepresentation: B) throws where B.Element == UInt8 { stub() }
            public var rawRepresentation: Data { stub() }
            public var x963Representation: Data { stub() }
            public var derRepresentation: Data { stub() }
            public var pemRepresentation: String { stub() }
            public func isValidSignature<D: CryptoKit.Digest>(_ signature: ECDSASignature, for digest: D) -> Bool { stub() }
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { stub() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { stub() }
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public init<D: ContiguousBytes>(x963Representation: D) throws { stub() }
            public init(pemRepresentation: String) throws { stub() }
            public init<B: RandomAccessCollection>(derRepresentation: B) throws where B.Element == UInt8 { stub() }
            public var publicKey: PublicKey { stub() }
            public var rawRepresentation: Data { stub() }
            public var x963Representation: Data { stub() }
            public var derRepresentation: Data { stub() }
            public var pemRepresentation: String { stub() }
            public func signature<D: CryptoKit.Digest>(for digest: D) throws -> ECDSASignature { stub() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { stub() }
        }
    }
}
public enum P521: Sendable {
    public enum KeyAgreement: Sendable {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public init<D: ContiguousBytes>(x963Representation: D) throws { stub() }
            public var rawRepresentation: Data { stub() }
            public var x963Representation: Data { stub() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { stub() }
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public var publicKey: PublicKey { stub() }
            public var rawRepresentation: Data { stub() }
            public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret { stub() }
        }
    }
    public enum Signing: Sendable {
        public struct ECDSASignature: ContiguousBytes, Sendable {
            public var rawRepresentation: Data { stub() }
            public var derRepresentation: Data { stub() }
            public init<D: DataProtocol>(rawRepresentation: D) throws { stub() }
            public init<D: DataProtocol>(derRepresentation: D) throws { stub() }
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { stub() }
        }
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public init<D: ContiguousBytes>(x963Representation: D) throws { stub() }
            public init(pemRepresentation: String) throws { stub() }
            public init<B: RandomAccessCollection>(derRepresentation: B) throws where B.Element == UInt8 { stub() }
            public var rawRepresentation: Data { stub() }
            public var x963Representation: Data { stub() }
            public var derRepresentation: Data { stub() }
            public var pemRepresentation: String { stub() }
            public func isValidSignature<D: CryptoKit.Digest>(_ signature: ECDSASignature, for digest: D) -> Bool { stub() }
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { stub() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { stub() }
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public init<D: ContiguousBytes>(x963Representation: D) throws { stub() }
            public init(pemRepresentation: String) throws { stub() }
            public init<B: RandomAccessCollection>(derRepresentation: B) throws where B.Element == UInt8 { stub() }
            public var publicKey: PublicKey { stub() }
            public var rawRepresentation: Data { stub() }
            public var x963Representation: Data { stub() }
            public var derRepresentation: Data { stub() }
            public var pemRepresentation: String { stub() }
            public func signature<D: CryptoKit.Digest>(for digest: D) throws -> ECDSASignature { stub() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { stub() }
        }
    }
}
public enum Curve25519: Sendable {
    public enum KeyAgreement: Sendable {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public var rawRepresentation: Data { stub() }
        }
        public struct PrivateKey: Sendable {
            public init() { stub() }
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public var publicKey: PublicKey { stub() }
            public var rawRepresentation: Data { stub() }
            public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret { stub() }
        }
    }
    public enum Signing: Sendable {
        public struct PrivateKey: Sendable {
            public init() { stub() }
            public var publicKey: PublicKey { stub() }
            public init<D: ContiguousBytes>(rawRepresentation data: D) throws { stub() }
            public var rawRepresentation: Data { stub() }
            public func signature<D: DataProtocol>(for data: D) throws -> Data { stub() }
        }
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { stub() }
            public var rawRepresentation: Data { stub() }
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool { stub() }
        }
    }
}
