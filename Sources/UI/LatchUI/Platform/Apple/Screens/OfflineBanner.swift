// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// A notice above the content while the device is offline.
public struct OfflineBanner: View {
    private let model: ConnectionModel

    /// Creates the banner of a connection.
    public init(_ model: ConnectionModel) { self.model = model }

    /// The notice; empty while there is a connection.
    public var body: some View {
        ForEach(model.controls) { ControlView($0, sender: .none) }
    }
}

extension View {
    /// Shows a notice above this view while the device is offline.
    public func offlineBanner(_ model: ConnectionModel) -> some View {
        safeAreaInset(edge: .top) { OfflineBanner(model) }
    }
}
#endif
