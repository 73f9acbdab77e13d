// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Further interfaces of Security, written from its public documentation.
public import Dispatch

private func stub() -> Never { fatalError() }
public class SecTask {}
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? { stub() }
public func SecTaskCopyValueForEntitlement(
    _ task: SecTask, _ entitlement: CFString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFTypeRef? { stub() }
public let kSecUseAuthenticationContext: CFString = ""
public let kSecImportToMemoryOnly: CFString = ""
public let kSecImportItemCertChain: CFString = ""
// In truth a block of C, which is not Sendable: what it captures is checked at run time only.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void
@discardableResult public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus { stub() }
