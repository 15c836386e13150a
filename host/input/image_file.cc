#include "host/input/image_file.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

// They want size_t and FILE to be there.
#include <jpeglib.h>
#include <png.h>
// Last: it needs jpeglib.h.
#include <jerror.h>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"
#include "host/input/other_file.h"

namespace podsim {
namespace {

constexpr char kFetchImage[] = ": fetch the image again, or delete it";
constexpr std::size_t kShownBegin = 12;  // bytes of no image, in a message

absl::Status BadImage(const std::string& why) {
  return absl::DataLossError(why);
}

absl::Status MakeRoom(std::int64_t rows, std::int64_t columns,
                      std::int32_t channels, Pixels& pixels) {
  if (rows < 1 || columns < 1 || rows > kMostPixels / columns)
    return BadImage(absl::StrCat("an image of ", columns, " x ", rows,
                                 " pixels; at most ", kMostPixels,
                                 " are read: make it smaller, or delete it"));
  pixels.rows = static_cast<std::int32_t>(rows);
  pixels.columns = static_cast<std::int32_t>(columns);
  pixels.channels = channels;
  pixels.values.resize(static_cast<std::size_t>(rows * columns * channels));
  return absl::OkStatus();
}

// How light a color is, by the weights of ITU-R BT.601, of 1,000.
std::uint8_t BrightnessOf(unsigned red, unsigned green, unsigned blue) {
  return static_cast<std::uint8_t>(
      (299 * red + 587 * green + 114 * blue + 500) / 1000);
}

// libjpeg's way out of an error is a jump.
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf out;
  char message[JMSG_LENGTH_MAX];
  char warning[JMSG_LENGTH_MAX];  // the first; empty: none
};

void JumpOut(j_common_ptr info) {
  auto* const errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->out, 1);
}

// A file that ends early lacks part of its image: an error. Any other warning
// is kept; but cameras leave bytes between markers, which harm nothing.
void TakeWarning(j_common_ptr info, int level) {
  if (level >= 0 || info->err->msg_code == JWRN_EXTRANEOUS_DATA) return;
  if (info->err->msg_code == JWRN_JPEG_EOF) JumpOut(info);
  auto* const errors = reinterpret_cast<JpegErrors*>(info->err);
  if (errors->warning[0] == 0) info->err->format_message(info, errors->warning);
}

// The two halves of decoding, with nothing to destroy in them, as errors jump.
// False: errors.message says why.
bool ReadJpegHeader(jpeg_decompress_struct& info, JpegErrors& errors,
                    std::string_view file, std::int32_t channels) {
  if (setjmp(errors.out) != 0) return false;
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()),
               static_cast<unsigned long>(file.size()));
  jpeg_read_header(&info, TRUE);
  info.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  // libjpeg makes no red, green and blue of printers' inks.
  if (info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK)
    info.out_color_space = JCS_CMYK;
  info.dct_method = JDCT_ISLOW;
  return true;
}

bool ReadJpegRows(jpeg_decompress_struct& info, JpegErrors& errors,
                  std::uint8_t* values) {
  if (setjmp(errors.out) != 0) return false;
  jpeg_start_decompress(&info);
  const std::size_t stride = std::size_t{info.output_width} *
                             static_cast<std::size_t>(info.output_components);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = values + info.output_scanline * stride;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

// Inks, as Adobe writes them: how much light each leaves. In place.
void FromInks(bool inverted, std::int32_t channels, Pixels& pixels) {
  constexpr std::size_t kInks = 4;
  const std::size_t count = pixels.values.size() / kInks;
  for (std::size_t i = 0; i < count; ++i) {
    unsigned light[kInks];
    for (std::size_t c = 0; c < kInks; ++c) {
      const unsigned value = pixels.values[i * kInks + c];
      light[c] = inverted ? value : 255 - value;
    }
    unsigned rgb[3];
    for (std::size_t c = 0; c < 3; ++c) rgb[c] = light[c] * light[3] / 255;
    if (channels == 1) {
      pixels.values[i] = BrightnessOf(rgb[0], rgb[1], rgb[2]);
      continue;
    }
    for (std::size_t c = 0; c < 3; ++c)
      pixels.values[i * 3 + c] = static_cast<std::uint8_t>(rgb[c]);
  }
  pixels.channels = channels;
  pixels.values.resize(count * static_cast<std::size_t>(channels));
}

absl::Status DecodeJpeg(std::string_view file, std::int32_t channels,
                        Pixels& pixels) {
  jpeg_decompress_struct info = {};
  JpegErrors errors = {};
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = JumpOut;
  errors.manager.emit_message = TakeWarning;
  jpeg_create_decompress(&info);
  absl::Status status;
  bool done = ReadJpegHeader(info, errors, file, channels);
  if (done) {
    const bool inks = info.out_color_space == JCS_CMYK;
    status = MakeRoom(info.image_height, info.image_width, inks ? 4 : channels,
                      pixels);
    done = !status.ok() || ReadJpegRows(info, errors, pixels.values.data());
    if (status.ok() && done && inks)
      FromInks(info.saw_Adobe_marker != 0, channels, pixels);
  }
  jpeg_destroy_decompress(&info);
  if (errors.warning[0] != 0)
    pixels.warning = absl::StrCat("JPEG: ", PrintableLine(errors.warning));
  if (!status.ok() || done) return status;
  return BadImage(
      absl::StrCat("JPEG: ", PrintableLine(errors.message), kFetchImage));
}

// What libpng has yet to read, and why it stopped.
struct PngInput {
  std::string_view rest;
  char message[128] = "no memory";
};

// Its way out of an error is a jump too.
[[noreturn]] void JumpOutOfPng(png_structp png, png_const_charp why) {
  auto* const input = static_cast<PngInput*>(png_get_error_ptr(png));
  std::snprintf(input->message, sizeof(input->message), "%s", why);
  png_longjmp(png, 1);
}

// A warning is of what is no pixel's.
void PassOverPngWarning(png_structp, png_const_charp) {}

void TakePngBytes(png_structp png, png_bytep to, std::size_t count) {
  std::string_view& rest = static_cast<PngInput*>(png_get_io_ptr(png))->rest;
  if (count > rest.size()) png_error(png, "read beyond end of data");
  std::memcpy(to, rest.data(), count);
  rest.remove_prefix(count);
}

// The two halves, as of JPEG. What is stored is what is wanted: no gamma, of 16
// bits the upper 8, no alpha.
bool ReadPngHeader(png_structp png, png_infop info, PngInput& input,
                   std::int32_t channels) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_read_fn(png, &input, TakePngBytes);
  // Texts and profiles may be large, and nobody asks for them.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  if (channels == 3) png_set_gray_to_rgb(png);
  return true;
}

bool ReadPngRows(png_structp png, png_infop info, const Pixels& pixels,
                 std::uint8_t* values) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const std::size_t stride = png_get_rowbytes(png, info);
  PODSIM_CHECK(stride * static_cast<std::size_t>(pixels.rows) ==
               pixels.values.size());
  for (int pass = 0; pass < passes; ++pass)
    for (std::int32_t row = 0; row < pixels.rows; ++row)
      png_read_row(png, values + static_cast<std::size_t>(row) * stride,
                   nullptr);
  return true;
}

// Of colors. In place.
void ToBrightness(Pixels& pixels) {
  const std::size_t count = pixels.values.size() / 3;
  for (std::size_t i = 0; i < count; ++i)
    pixels.values[i] =
        BrightnessOf(pixels.values[3 * i], pixels.values[3 * i + 1],
                     pixels.values[3 * i + 2]);
  pixels.channels = 1;
  pixels.values.resize(count);
}

absl::Status DecodePng(std::string_view file, std::int32_t channels,
                       Pixels& pixels) {
  PngInput input = {.rest = file};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &input,
                                           JumpOutOfPng, PassOverPngWarning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  absl::Status status;
  bool done = info != nullptr && ReadPngHeader(png, info, input, channels);
  if (done) {
    const bool colored =
        (png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR) != 0;
    status = MakeRoom(png_get_image_height(png, info),
                      png_get_image_width(png, info), colored ? 3 : channels,
                      pixels);
    done = !status.ok() || ReadPngRows(png, info, pixels, pixels.values.data());
    if (status.ok() && done && colored && channels == 1) ToBrightness(pixels);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  if (!status.ok() || done) return status;
  return BadImage(
      absl::StrCat("PNG: ", PrintableLine(input.message), kFetchImage));
}

}  // namespace

absl::Status DecodeImage(std::string_view file, std::int32_t channels,
                         Pixels& pixels) {
  PODSIM_CHECK(channels == 1 || channels == 3);
  pixels.warning.clear();
  if (file.substr(0, 3) == "\xff\xd8\xff")
    return DecodeJpeg(file, channels, pixels);
  if (file.substr(0, 8) == "\x89PNG\r\n\x1a\n")
    return DecodePng(file, channels, pixels);
  if (file.empty())
    return BadImage("it is empty: fetch it again, or delete it");
  const OtherFile other = OtherFileOf(file.substr(0, kOtherFileBytes), "");
  if (!other.what.empty())
    return BadImage(absl::StrCat("it is ", other.what,
                                 ", neither a JPEG nor a PNG file: ",
                                 other.kind == OtherFileKind::kImage
                                     ? std::string("convert it, or delete it")
                                 : other.kind == OtherFileKind::kPointer
                                     ? other.to_do
                                     : "fetch the image again, or delete it"));
  return BadImage(
      absl::StrCat("it is neither a JPEG nor a PNG file; it begins "
                   "with '",
                   PrintableLine(file.substr(0, kShownBegin)),
                   "': fetch the image again, or delete it"));
}

}  // namespace podsim
