// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Local Authentication; watchOS has no biometrics, tvOS has none of it.
// Source: https://developer.apple.com/documentation/localauthentication.
public import AppleFoundation

private func stub<T>() -> T { fatalError() }

@available(tvOS, unavailable)
public enum LAPolicy: Int, Sendable {
    @available(watchOS, unavailable)
    case deviceOwnerAuthenticationWithBiometrics = 1
    case deviceOwnerAuthentication = 2
}

@available(tvOS, unavailable) @available(watchOS, unavailable)
public enum LABiometryType: Int, Sendable {
    case none = 0, touchID = 1, faceID = 2
    @available(macOS 14.0, iOS 17.0, visionOS 1.0, *) case opticID = 4
}

@available(tvOS, unavailable)
open class LAContext: NSObject {
    public override init() {}
    open var localizedReason: String = ""
    open var interactionNotAllowed: Bool = false
    open var localizedFallbackTitle: String?
    open var localizedCancelTitle: String?
    @available(watchOS, unavailable)
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval { get { stub() } set {} }
    @available(watchOS, unavailable)
    open var biometryType: LABiometryType { stub() }
    open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool { stub() }
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool { stub() }
    open func invalidate() {}
}

@available(tvOS, unavailable)
public struct LAError: Error {
    public enum Code: Int, Sendable { case authenticationFailed = -1, userCancel = -2, userFallback = -3, systemCancel = -4, passcodeNotSet = -5, biometryNotAvailable = -6, biometryNotEnrolled = -7, biometryLockout = -8, appCancel = -9, invalidContext = -10, notInteractive = -1004 }
    public static var errorDomain: String { stub() }
    public var code: Code { stub() }
}
