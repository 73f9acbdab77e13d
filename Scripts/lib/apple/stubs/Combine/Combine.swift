// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Combine's part that SwiftUI's older observation needs. Source: https://developer.apple.com/documentation/combine.
private func stub() -> Never { fatalError() }

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
}
public final class ObservableObjectPublisher: Publisher {
    public typealias Output = Void
    public typealias Failure = Never
    public init() {}
    public func send() {}
}
public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher where ObjectWillChangePublisher.Failure == Never
    var objectWillChange: ObjectWillChangePublisher { get }
}
extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    public var objectWillChange: ObservableObjectPublisher { stub() }
}
@propertyWrapper public struct Published<Value> {
    public init(wrappedValue: Value) {}
    public init(initialValue: Value) {}
    public var wrappedValue: Value { get { stub() } set {} }
    public struct Publisher: Combine.Publisher {
        public typealias Output = Value
        public typealias Failure = Never
    }
    public var projectedValue: Publisher { stub() }
}
