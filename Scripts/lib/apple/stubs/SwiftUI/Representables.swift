// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Views of UIKit and AppKit in SwiftUI. Source: https://developer.apple.com/documentation/swiftui/uiviewrepresentable.
public import AppKit
public import AppleFoundation
public import UIKit

private func stub() -> Never { fatalError() }

#if os(iOS) || os(tvOS) || os(visionOS)

@MainActor @preconcurrency public protocol UIViewRepresentable: View where Body == Never {
    associatedtype UIViewType: UIView
    associatedtype Coordinator = Void
    typealias Context = UIViewRepresentableContext<Self>
    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
    func makeCoordinator() -> Coordinator
}
extension UIViewRepresentable {
    public var body: Never { stub() }
}
extension UIViewRepresentable where Coordinator == Void {
    public func makeCoordinator() { }
}
@MainActor @preconcurrency public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
    public var coordinator: Representable.Coordinator { stub() }
    public var environment: EnvironmentValues { stub() }
}
#elseif os(macOS)

@MainActor @preconcurrency public protocol NSViewRepresentable: View where Body == Never {
    associatedtype NSViewType: NSView
    associatedtype Coordinator = Void
    typealias Context = NSViewRepresentableContext<Self>
    func makeNSView(context: Context) -> NSViewType
    func updateNSView(_ nsView: NSViewType, context: Context)
    func makeCoordinator() -> Coordinator
}
extension NSViewRepresentable {
    public var body: Never { stub() }
}
extension NSViewRepresentable where Coordinator == Void {
    public func makeCoordinator() { }
}
@MainActor @preconcurrency public struct NSViewRepresentableContext<View: NSViewRepresentable> {
    public var coordinator: View.Coordinator { stub() }
    public var environment: EnvironmentValues { stub() }
}
#endif
