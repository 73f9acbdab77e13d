// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
import SwiftUI

/// Nothing: watchOS draws no QR code.
struct QRCodeView: View {
    let control: Control

    var body: some View { EmptyView() }
}
#endif
