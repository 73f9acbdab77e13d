// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file

// Filters of images; watchOS has none. Source: https://developer.apple.com/documentation/coreimage.
public import AppleFoundation
public import SwiftUI

private func stub<T>() -> T { fatalError() }

@available(watchOS, unavailable)
open class CIImage: NSObject { open var extent: CGRect { stub() } }
@available(watchOS, unavailable)
open class CIFilter: NSObject {
    public init?(name: String) { return nil }
    open func setValue(_ value: Any?, forKey key: String) {}
    open var outputImage: CIImage? { stub() }
}
@available(watchOS, unavailable)
open class CIContext: NSObject {
    public override init() {}
    open func createCGImage(_ image: CIImage, from fromRect: CGRect) -> CGImage? { stub() }
}
