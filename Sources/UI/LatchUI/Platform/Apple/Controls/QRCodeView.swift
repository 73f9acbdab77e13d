// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreImage) && !os(watchOS)
import CoreImage
import LatchTexts
import SwiftUI

/// The QR code of a text, which another device scans.
struct QRCodeView: View {
    let control: Control
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    var body: some View {
        if let image {
            Image(image, scale: 1, label: Text(texts(control.label)))
                .interpolation(.none)
                .resizable()
                .scaledToFit()
                .frame(maxWidth: 200, maxHeight: 200)
                .padding(theme.spacing)
                // Scanners need a light margin, also in the dark appearance.
                .background(.white, in: RoundedRectangle(cornerRadius: theme.cornerRadius))
                .privacySensitive()
                .accessibilityIdentifier(control.id.description)
        }
    }

    private var image: CGImage? {
        guard let filter = CIFilter(name: "CIQRCodeGenerator") else { return nil }
        filter.setValue(Data(control.text.value.utf8), forKey: "inputMessage")
        filter.setValue("M", forKey: "inputCorrectionLevel")
        guard let output = filter.outputImage else { return nil }
        return CIContext().createCGImage(output, from: output.extent)
    }
}
#endif
