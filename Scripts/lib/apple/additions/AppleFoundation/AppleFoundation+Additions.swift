// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Further interfaces of Apple's Foundation, written from its public documentation.
private func stub() -> Never { fatalError() }
public struct Selector: Sendable {}
/// NSObject with the messages of Objective-C that forward others; the check puts it in the place of NSObject in
/// DelegateForwarder.swift, since the open Foundation's class cannot be extended by methods to override.
open class ForwardingNSObject: NSObject {
    open func responds(to aSelector: Selector!) -> Bool { stub() }
    open func forwardingTarget(for aSelector: Selector!) -> Any? { stub() }
}
extension NSObjectProtocol { public func responds(to aSelector: Selector!) -> Bool { stub() } }
extension URLSessionConfiguration { public var identifier: String? { stub() } }
extension URLSession { public var delegateQueue: OperationQueue { stub() } }
