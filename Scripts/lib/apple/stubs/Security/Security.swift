// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The Security framework. Source: https://developer.apple.com/documentation/security.
@_exported public import AppleCoreFoundation
public import Dispatch

private func stub() -> Never { fatalError() }
private func constant() -> CFString { stub() }

public final class SecKey: _CFObject {}
public final class SecTrust: _CFObject {}
public final class SecPolicy: _CFObject {}
public final class SecIdentity: _CFObject {}
public final class SecCertificate: _CFObject {}
public final class SecAccessControl: _CFObject {}
public func SecKeyGetTypeID() -> CFTypeID { stub() }
public func SecIdentityGetTypeID() -> CFTypeID { stub() }
public func SecCertificateGetTypeID() -> CFTypeID { stub() }
public func SecTrustGetTypeID() -> CFTypeID { stub() }
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? { stub() }

// Keychain items
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public var rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var userPresence: Self { stub() }
    public static var biometryCurrentSet: Self { stub() }
    public static var biometryAny: Self { stub() }
    public static var devicePasscode: Self { stub() }
    @available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
    public static var watch: Self { stub() }
    public static var or: Self { stub() }
    public static var and: Self { stub() }
    public static var privateKeyUsage: Self { stub() }
    public static var applicationPassword: Self { stub() }
}
public func SecAccessControlCreateWithFlags(_ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> SecAccessControl? { stub() }
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { stub() }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { stub() }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { stub() }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { stub() }
public nonisolated(unsafe) let kSecClass: CFString = constant(), kSecClassGenericPassword: CFString = constant(), kSecClassInternetPassword: CFString = constant(), kSecClassKey: CFString = constant(), kSecClassIdentity: CFString = constant(), kSecClassCertificate: CFString = constant()
public nonisolated(unsafe) let kSecUseDataProtectionKeychain: CFString = constant(), kSecUseAuthenticationContext: CFString = constant()
@available(tvOS, unavailable) @available(watchOS, unavailable)
public var kSecUseAuthenticationUI: CFString { stub() }
@available(tvOS, unavailable) @available(watchOS, unavailable)
public var kSecUseAuthenticationUISkip: CFString { stub() }
public nonisolated(unsafe) let kSecAttrService: CFString = constant(), kSecAttrAccount: CFString = constant(), kSecAttrAccessGroup: CFString = constant(), kSecAttrAccessible: CFString = constant(), kSecAttrAccessControl: CFString = constant()
public nonisolated(unsafe) let kSecAttrLabel: CFString = constant(), kSecAttrGeneric: CFString = constant(), kSecAttrDescription: CFString = constant(), kSecAttrComment: CFString = constant(), kSecAttrSynchronizable: CFString = constant(), kSecAttrSynchronizableAny: CFString = constant()
public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlock: CFString = constant(), kSecAttrAccessibleWhenUnlocked: CFString = constant()
public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = constant(), kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = constant(), kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = constant()
public nonisolated(unsafe) let kSecReturnData: CFString = constant(), kSecReturnAttributes: CFString = constant(), kSecReturnRef: CFString = constant(), kSecReturnPersistentRef: CFString = constant()
public nonisolated(unsafe) let kSecMatchLimit: CFString = constant(), kSecMatchLimitOne: CFString = constant(), kSecMatchLimitAll: CFString = constant(), kSecValueData: CFString = constant(), kSecValueRef: CFString = constant()
public var errSecSuccess: OSStatus { 0 }
public var errSecUnimplemented: OSStatus { -4 }
public var errSecParam: OSStatus { -50 }
public var errSecAllocate: OSStatus { -108 }
public var errSecNotAvailable: OSStatus { -25291 }
public var errSecDuplicateItem: OSStatus { -25299 }
public var errSecItemNotFound: OSStatus { -25300 }
public var errSecInteractionNotAllowed: OSStatus { -25308 }
public var errSecDecode: OSStatus { -26275 }
public var errSecAuthFailed: OSStatus { -25293 }
public var errSecUserCanceled: OSStatus { -128 }
public var errSecMissingEntitlement: OSStatus { -34018 }
public var errSecPkcs12VerifyFailure: OSStatus { -25264 }

// The file-based keychains exist on macOS alone.
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
public final class SecKeychain: _CFObject {}
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
public var kSecUseKeychain: CFString { stub() }
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
public var kSecImportExportKeychain: CFString { stub() }

// The code of the running program, whose entitlements it can read, on macOS alone.
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
public final class SecTask: _CFObject {}
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? { stub() }
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
public func SecTaskCopyValueForEntitlement(_ task: SecTask, _ entitlement: CFString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFTypeRef? { stub() }

// Keys
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
    public var rawValue: CFString
    public init(rawValue: CFString) { self.rawValue = rawValue }
    public static let rsaSignatureMessagePKCS1v15SHA256 = Self(rawValue: constant()), rsaSignatureMessagePKCS1v15SHA384 = Self(rawValue: constant()), rsaSignatureMessagePKCS1v15SHA512 = Self(rawValue: constant())
    public static let rsaSignatureMessagePSSSHA256 = Self(rawValue: constant()), rsaSignatureMessagePSSSHA384 = Self(rawValue: constant()), rsaSignatureMessagePSSSHA512 = Self(rawValue: constant())
    public static let rsaEncryptionOAEPSHA1 = Self(rawValue: constant()), rsaEncryptionOAEPSHA256 = Self(rawValue: constant())
    public static let ecdsaSignatureMessageX962SHA256 = Self(rawValue: constant()), ecdsaSignatureMessageX962SHA384 = Self(rawValue: constant()), ecdsaSignatureMessageX962SHA512 = Self(rawValue: constant())
}
public enum SecKeyOperationType: Int, Sendable { case sign, verify, encrypt, decrypt, keyExchange }
public func SecKeyCreateWithData(_ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> SecKey? { stub() }
public func SecKeyCreateRandomKey(_ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> SecKey? { stub() }
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData? { stub() }
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? { stub() }
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { stub() }
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { stub() }
public func SecKeyIsAlgorithmSupported(_ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm) -> Bool { stub() }
public func SecKeyVerifySignature(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> Bool { stub() }
public func SecKeyCreateSignature(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData? { stub() }
public func SecKeyCreateEncryptedData(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData? { stub() }
public func SecKeyCreateDecryptedData(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData? { stub() }
public nonisolated(unsafe) let kSecAttrKeyType: CFString = constant(), kSecAttrKeyTypeRSA: CFString = constant(), kSecAttrKeyTypeECSECPrimeRandom: CFString = constant(), kSecAttrKeyClass: CFString = constant(), kSecAttrKeyClassPrivate: CFString = constant(), kSecAttrKeyClassPublic: CFString = constant(), kSecAttrKeySizeInBits: CFString = constant(), kSecAttrIsPermanent: CFString = constant(), kSecPrivateKeyAttrs: CFString = constant(), kSecAttrTokenID: CFString = constant(), kSecAttrTokenIDSecureEnclave: CFString = constant()

// Trust
public enum SecTrustResultType: UInt32, Sendable { case invalid = 0, proceed = 1, deny = 3, unspecified = 4, recoverableTrustFailure = 5, fatalTrustFailure = 6, otherError = 7 }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { stub() }
// In truth a block of C, which is not Sendable: what it captures is checked at run time only.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void
@discardableResult public func SecTrustEvaluateAsyncWithError(_ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback) -> OSStatus { stub() }
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { stub() }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { stub() }
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus { stub() }
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus { stub() }
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus { stub() }
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy { stub() }
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus { stub() }
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { stub() }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { stub() }
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { stub() }
public func SecIdentityCopyCertificate(_ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>) -> OSStatus { stub() }
public func SecPKCS12Import(_ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>) -> OSStatus { stub() }
public nonisolated(unsafe) let kSecImportExportPassphrase: CFString = constant(), kSecImportItemIdentity: CFString = constant(), kSecImportItemTrust: CFString = constant(), kSecImportItemCertChain: CFString = constant(), kSecImportItemKeyID: CFString = constant()
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
public var kSecImportToMemoryOnly: CFString { stub() }

public enum tls_protocol_version_t: UInt16, Sendable { case TLSv10 = 0x0301, TLSv11 = 0x0302, TLSv12 = 0x0303, TLSv13 = 0x0304, DTLSv10 = 0xfeff, DTLSv12 = 0xfefd }

// Random numbers
public final class __SecRandom: @unchecked Sendable {}
public typealias SecRandomRef = __SecRandom
public var kSecRandomDefault: SecRandomRef? { nil }
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 { stub() }
