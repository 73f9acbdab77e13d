// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Interfaces of LocalAuthentication, written from its public documentation; tvOS does not have it.
public import Foundation

private func stub() -> Never { fatalError() }
public enum LAPolicy: Int, Sendable { case deviceOwnerAuthenticationWithBiometrics = 1, deviceOwnerAuthentication }
public struct LAError: Error {
    public static var errorDomain: String { stub() }
    public enum Code: Int, Sendable { case authenticationFailed = -1, userCancel = -2, passcodeNotSet = -5 }
}
open class LAContext: NSObject {
    public override init() {}
    open var localizedReason = ""
    open var interactionNotAllowed = false
    open func invalidate() {}
    open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool { stub() }
}
