// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Apple's Foundation: the open one of the toolchain, and what Apple's alone has.
// Source: https://developer.apple.com/documentation/foundation.
@_exported public import Foundation
@_exported public import AppleCoreFoundation
// Foundation names these two, and does not pass Combine on: without `import Combine` the members of the protocol stay unseen.
public import Combine
public typealias ObservableObject = Combine.ObservableObject
public typealias Published = Combine.Published

private func stub() -> Never { fatalError() }

// The messages of Objective-C that forwarders override; staged sources declare them without `override`, see sources.py.
public struct Selector: Hashable, Sendable {}
extension NSObjectProtocol {
    public func responds(to aSelector: Selector!) -> Bool { stub() }
    public func forwardingTarget(for aSelector: Selector!) -> Any? { stub() }
}

// Child processes exist on macOS alone.
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
public typealias Process = Foundation.Process

extension NSNotification.Name {
    public static var NSSystemClockDidChange: NSNotification.Name { stub() }
}
extension NotificationCenter {
    public final class Notifications: AsyncSequence, Sendable {
        public typealias Element = Notification
        public struct Iterator: AsyncIteratorProtocol {
            public mutating func next() async -> Notification? { stub() }
        }
        public func makeAsyncIterator() -> Iterator { stub() }
    }
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications { stub() }
}

extension URL {
    public static var applicationSupportDirectory: URL { stub() }
    public static var cachesDirectory: URL { stub() }
    public static var documentsDirectory: URL { stub() }
    public static var libraryDirectory: URL { stub() }
    @available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
    public static var userDirectory: URL { stub() }
}
extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { stub() }
}
extension URLResourceValues {
    public var volumeAvailableCapacityForImportantUsage: Int64? { stub() }
}

extension Foundation.Stream {
    public class func getBoundStreams(withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?, outputStream: UnsafeMutablePointer<OutputStream?>?) {}
}

// Source: https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:).
extension ProcessInfo {
    @available(macOS, unavailable)
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) { stub() }
}
