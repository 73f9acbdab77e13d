// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// A progress indicator above the content while a request is running, with the button that cancels it.
public struct LoadingOverlay<S: Screen>: View {
    private let model: ScreenModel<S>
    @Environment(\.authTheme) private var theme

    /// Creates the overlay of a model.
    public init(_ model: ScreenModel<S>) { self.model = model }

    /// A spinner with the button that cancels, while a request is running.
    public var body: some View {
        if model.isBusy {
            VStack(spacing: theme.spacing) {
                ProgressView()
                if let cancel = model.control(.cancel) { ControlView(cancel, sender: ControlSender(model)) }
            }
            .padding(theme.spacing * 2)
            .background(.regularMaterial, in: RoundedRectangle(cornerRadius: theme.cornerRadius))
            .accessibilityAddTraits(.isModal)
        }
    }
}

extension View {
    /// Shows a progress indicator while the model's request is running.
    public func loadingOverlay<S: Screen>(_ model: ScreenModel<S>) -> some View {
        overlay { LoadingOverlay(model) }
    }
}
#endif
