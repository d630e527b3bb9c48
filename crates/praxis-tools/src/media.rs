//! Pictures and documents: known by their first bytes, and made small enough for a model.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, ImageReader};
use praxis_proto::{Attachment, Report};

/// Sizes tried before a picture is given up.
const MOST_SIZES: u32 = 32;
const SHRINK: f64 = 0.75;
const JPEG_QUALITIES: [u8; 5] = [80, 85, 70, 55, 40];
/// Memory one picture may take while it is decoded.
const DECODE_BYTES: u64 = 512 << 20;

/// What kind of attachment a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    Image(ImageFormat),
    Pdf,
}

impl Media {
    /// Looks at the first bytes only; a name proves nothing.
    pub(crate) fn sniff(start: &[u8]) -> Option<Self> {
        let format = match start {
            [0x89, b'P', b'N', b'G', ..] => ImageFormat::Png,
            [0xff, 0xd8, 0xff, ..] => ImageFormat::Jpeg,
            [b'G', b'I', b'F', b'8', ..] => ImageFormat::Gif,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ImageFormat::WebP,
            [b'%', b'P', b'D', b'F', b'-', ..] => return Some(Self::Pdf),
            _ => return None,
        };
        Some(Self::Image(format))
    }

    pub(crate) fn mime(self) -> &'static str {
        match self {
            Self::Image(format) => format.to_mime_type(),
            Self::Pdf => "application/pdf",
        }
    }
}

/// How large a picture may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLimits {
    /// Make pictures that are too large smaller; otherwise they are left out.
    pub auto_resize: bool,
    /// Most pixels across.
    pub max_width: u32,
    /// Most pixels down.
    pub max_height: u32,
    /// Most bytes in base64.
    pub max_base64_bytes: usize,
}

impl Default for ImageLimits {
    fn default() -> Self {
        Self { auto_resize: true, max_width: 2_000, max_height: 2_000, max_base64_bytes: 5 << 20 }
    }
}

impl ImageLimits {
    fn holds(&self, bytes: usize) -> bool {
        bytes.div_ceil(3) * 4 <= self.max_base64_bytes
    }
}

/// A picture that fits the limits, or why there is none.
pub(crate) fn fit(
    bytes: Vec<u8>,
    format: ImageFormat,
    limits: &ImageLimits,
) -> Result<(Vec<u8>, &'static str), String> {
    let reader = ImageReader::with_format(Cursor::new(&bytes), format);
    let (width, height) = reader.into_dimensions().map_err(|e| format!("it cannot be decoded: {e}"))?;
    if width <= limits.max_width && height <= limits.max_height && limits.holds(bytes.len()) {
        return Ok((bytes, format.to_mime_type()));
    }
    if !limits.auto_resize {
        return Err(format!("it is {width}x{height} pixels and {} bytes, which is too large", bytes.len()));
    }
    let mut reader = ImageReader::with_format(Cursor::new(&bytes), format);
    let mut memory = image::Limits::default();
    memory.max_alloc = Some(DECODE_BYTES);
    reader.limits(memory);
    let picture = reader.decode().map_err(|e| format!("it cannot be decoded: {e}"))?;
    shrink(&picture, limits)
        .ok_or_else(|| format!("it is {width}x{height} pixels and cannot be made small enough"))
}

/// First to the largest size allowed, then smaller and smaller, until one of the encodings fits.
fn shrink(picture: &DynamicImage, limits: &ImageLimits) -> Option<(Vec<u8>, &'static str)> {
    let ratio = |most: u32, is: u32| f64::from(most) / f64::from(is);
    let mut scale =
        ratio(limits.max_width, picture.width()).min(ratio(limits.max_height, picture.height())).min(1.0);
    for _ in 0..MOST_SIZES {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a scale is between 0 and 1"
        )]
        let side = |pixels: u32| ((f64::from(pixels) * scale) as u32).max(1);
        let sized = picture.resize_exact(side(picture.width()), side(picture.height()), FilterType::Triangle);
        if let Some(encoded) = encode(&sized, limits) {
            return Some(encoded);
        }
        scale *= SHRINK;
    }
    None
}

fn encode(picture: &DynamicImage, limits: &ImageLimits) -> Option<(Vec<u8>, &'static str)> {
    let mut png = Cursor::new(Vec::new());
    if picture.write_to(&mut png, ImageFormat::Png).is_ok() && limits.holds(png.get_ref().len()) {
        return Some((png.into_inner(), "image/png"));
    }
    let opaque = picture.to_rgb8();
    JPEG_QUALITIES.into_iter().find_map(|quality| {
        let mut jpeg = Vec::new();
        JpegEncoder::new_with_quality(&mut jpeg, quality).encode_image(&opaque).ok()?;
        limits.holds(jpeg.len()).then_some((jpeg, "image/jpeg"))
    })
}

/// A picture or a PDF as an attachment, the picture made small enough; or why it cannot be one.
pub fn attach_media(
    bytes: Vec<u8>,
    filename: Option<String>,
    limits: &ImageLimits,
) -> Result<Attachment, String> {
    match Media::sniff(&bytes) {
        Some(Media::Image(format)) => {
            let (bytes, mime) = fit(bytes, format, limits)?;
            Ok(attachment(&bytes, mime, filename))
        }
        Some(Media::Pdf) => Ok(attachment(&bytes, Media::Pdf.mime(), filename)),
        None => Err("it is neither a PNG, JPEG, GIF or WebP picture nor a PDF".to_owned()),
    }
}

/// A picture in a data address made small enough: its media type and address, or `None` if it may stay as it is, or why
/// it cannot be shown. Works hard, so not for a thread that others wait for.
pub fn fit_picture(mime: &str, url: &str, limits: &ImageLimits) -> Result<Option<(String, String)>, String> {
    let (_, data) = url.split_once(";base64,").ok_or("its address is not base64")?;
    let bytes = STANDARD.decode(data).map_err(|error| format!("its address is not base64: {error}"))?;
    let Some(Media::Image(format)) = Media::sniff(&bytes) else {
        return Err("it is no PNG, JPEG, GIF or WebP picture".to_owned());
    };
    // Providers refuse a picture that is called what it is not, so its type may change too.
    let (bytes, real) = fit(bytes, format, limits)?;
    let fitted = attachment(&bytes, real, None);
    let stays = fitted.mime == mime && fitted.url == url;
    Ok((!stays).then_some((fitted.mime, fitted.url)))
}

/// Makes the pictures that came with a report small enough. Those that cannot be are left out, and the output says so.
pub async fn fit_pictures(mut report: Report, limits: ImageLimits) -> Report {
    let is_picture = |file: &Attachment| file.mime.starts_with("image/") && file.url.starts_with("data:");
    if !report.attachments.iter().any(is_picture) {
        return report;
    }
    let files = std::mem::take(&mut report.attachments);
    let fitting = tokio::task::spawn_blocking(move || {
        let (mut kept, mut left_out) = (Vec::new(), Vec::new());
        for mut file in files {
            if !is_picture(&file) {
                kept.push(file);
                continue;
            }
            match fit_picture(&file.mime, &file.url, &limits) {
                Ok(None) => kept.push(file),
                Ok(Some((mime, url))) => {
                    (file.mime, file.url) = (mime, url);
                    kept.push(file);
                }
                Err(why) => left_out.push(why),
            }
        }
        (kept, left_out)
    });
    let (kept, left_out) =
        fitting.await.unwrap_or_else(|_| (Vec::new(), vec!["they could not be read".to_owned()]));
    report.attachments = kept;
    if let Some(why) = left_out.first() {
        report.output.push_str(&format!("\n\n({} image(s) left out: {why})", left_out.len()));
    }
    report
}

/// A file to travel with a report.
pub(crate) fn attachment(bytes: &[u8], mime: &str, filename: Option<String>) -> Attachment {
    let url = format!("data:{mime};base64,{}", STANDARD.encode(bytes));
    Attachment { kind: "file".to_owned(), mime: mime.to_owned(), url, filename }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        // Noise, because a plain surface compresses to nothing.
        let mut state = 1_u32;
        let noise = image::RgbImage::from_fn(width, height, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            image::Rgb([(state >> 8) as u8, (state >> 16) as u8, (state >> 24) as u8])
        });
        let mut out = Cursor::new(Vec::new());
        DynamicImage::ImageRgb8(noise).write_to(&mut out, ImageFormat::Png).unwrap();
        out.into_inner()
    }

    fn size(bytes: &[u8]) -> (u32, u32) {
        ImageReader::new(Cursor::new(bytes)).with_guessed_format().unwrap().into_dimensions().unwrap()
    }

    #[test]
    fn content_decides_what_a_file_is() {
        assert_eq!(Media::sniff(&png(1, 1)), Some(Media::Image(ImageFormat::Png)));
        assert_eq!(Media::sniff(b"%PDF-1.7"), Some(Media::Pdf));
        assert_eq!(Media::sniff(b"\xff\xd8\xff\xe0"), Some(Media::Image(ImageFormat::Jpeg)));
        assert_eq!(Media::sniff(b"GIF89a"), Some(Media::Image(ImageFormat::Gif)));
        assert_eq!(Media::sniff(b"RIFF....WEBPVP8 "), Some(Media::Image(ImageFormat::WebP)));
        for other in [&b"BM...."[..], b"text", b"", b"<svg>", b"RIFF....WAVE"] {
            assert_eq!(Media::sniff(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_picture_that_fits_is_not_touched() {
        let small = png(20, 10);
        assert_eq!(fit(small.clone(), ImageFormat::Png, &ImageLimits::default()), Ok((small, "image/png")));
    }

    #[test]
    fn a_picture_too_wide_or_too_heavy_is_made_smaller() {
        let limits = ImageLimits { max_width: 50, max_height: 50, ..ImageLimits::default() };
        let (bytes, mime) = fit(png(100, 40), ImageFormat::Png, &limits).unwrap();
        assert_eq!((size(&bytes), mime), ((50, 20), "image/png"));

        let light = ImageLimits { max_base64_bytes: 4_000, ..ImageLimits::default() };
        let (bytes, mime) = fit(png(100, 100), ImageFormat::Png, &light).unwrap();
        assert!(bytes.len() <= 3_000 && mime == "image/jpeg", "{} {mime}", bytes.len());
    }

    #[test]
    fn what_cannot_be_made_small_enough_says_why() {
        let fixed = ImageLimits { auto_resize: false, max_width: 50, ..ImageLimits::default() };
        assert!(fit(png(100, 40), ImageFormat::Png, &fixed).unwrap_err().contains("100x40"));
        let nothing = ImageLimits { max_base64_bytes: 10, ..ImageLimits::default() };
        assert!(
            fit(png(10, 10), ImageFormat::Png, &nothing).unwrap_err().contains("cannot be made small enough")
        );
        assert!(fit(b"\x89PNG broken".to_vec(), ImageFormat::Png, &ImageLimits::default()).is_err());
    }

    #[tokio::test]
    async fn pictures_of_a_report_are_made_small_or_left_out_and_other_files_stay() {
        let limits = ImageLimits { max_width: 50, max_height: 50, ..ImageLimits::default() };
        let file = |bytes: &[u8], mime: &str, name: &str| attachment(bytes, mime, Some(name.to_owned()));
        let small = file(&png(20, 10), "image/png", "small");
        let sound = file(b"...", "audio/wav", "sound");
        let mut report = Report::new("t", "output");
        report.attachments = vec![
            small.clone(),
            file(&png(100, 40), "image/png", "wide"),
            file(&png(20, 10), "image/jpeg", "misnamed"),
            file(b"<svg/>", "image/svg+xml", "drawing"),
            file(b"BM....", "image/bmp", "bitmap"),
            sound.clone(),
        ];
        let fitted = fit_pictures(report, limits).await;
        assert_eq!(fitted.output, "output\n\n(2 image(s) left out: it is no PNG, JPEG, GIF or WebP picture)");
        let [first, wide, misnamed, last] = fitted.attachments.as_slice() else {
            panic!("{:?}", fitted.attachments)
        };
        assert_eq!((first, last), (&small, &sound));
        let (_, data) = wide.url.split_once("data:image/png;base64,").unwrap();
        assert_eq!(size(&STANDARD.decode(data).unwrap()), (50, 20));
        assert_eq!((&*wide.mime, wide.filename.as_deref()), ("image/png", Some("wide")));
        assert_eq!((&*misnamed.mime, &misnamed.url), ("image/png", &small.url));
    }
}
